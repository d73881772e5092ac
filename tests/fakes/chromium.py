"""Chromium without a window, steered over its DevTools protocol, if it is installed."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

FOUND = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
FLAGS = (
    "--headless=new",
    "--remote-debugging-port=0",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--window-size=1280,800",
)


class Page:
    """One tab. asked: every address that it wanted something of. said: what its scripts complained about."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.asked: list[str] = []
        self.said: list[str] = []

    async def call(self, method: str, **given: Any) -> dict[str, Any]:
        """One command, and its result."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": given})
        while True:
            told = await self._socket.receive_json()
            if told.get("id") == number:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result
            self._heard(told)

    def _heard(self, told: dict[str, Any]) -> None:
        match told.get("method"):
            case "Network.requestWillBeSent":
                self.asked.append(told["params"]["request"]["url"])
            case "Network.webSocketCreated":
                self.asked.append(told["params"]["url"])
            case "Log.entryAdded":
                self.said.append(told["params"]["entry"]["text"])

    async def value(self, expression: str) -> Any:
        """What a script's expression comes to there."""
        told = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return told["result"].get("value")

    async def until(self, expression: str, timeout_s: float = 60.0) -> None:
        """Until it is true."""
        async with asyncio.timeout(timeout_s):
            while not await self.value(expression):
                await asyncio.sleep(0.05)

    async def press(self, letter: str) -> None:
        """A key."""
        given = {"key": letter, "code": f"Key{letter.upper()}", "windowsVirtualKeyCode": ord(letter.upper())}
        await self.call("Input.dispatchKeyEvent", type="keyDown", text=letter, **given)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    async def picture(self) -> bytes:
        """What it shows, as PNG."""
        return base64.b64decode((await self.call("Page.captureScreenshot"))["data"])


@asynccontextmanager
async def page(folder: Path) -> AsyncIterator[Page]:
    """An empty tab. folder: for what the browser keeps."""
    assert FOUND
    own = [f"--user-data-dir={folder}", *(["--no-sandbox"] if os.getuid() == 0 else [])]
    browser = await asyncio.create_subprocess_exec(FOUND, *FLAGS, *own, "about:blank", stderr=asyncio.subprocess.PIPE)
    try:
        assert browser.stderr
        async for line in browser.stderr:
            if line.startswith(b"DevTools listening on "):
                port = line.decode().rsplit(":", 1)[1].partition("/")[0]
                break
        drained = asyncio.create_task(browser.stderr.read())
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as told:
                (tab,) = [each for each in await told.json() if each["type"] == "page"]
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                shown = Page(socket)
                for domain in ("Page", "Network", "Log", "Runtime"):
                    await shown.call(f"{domain}.enable")
                yield shown
    finally:
        browser.terminate()
        await browser.wait()
        await drained
