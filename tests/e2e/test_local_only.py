"""Nothing leaves while the switch is on, or from a folder that is marked."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from daemon.client import Client
from daemon.working_folders import MARKER
from tests.fakes.house import House, house
from tests.fakes.running import running
from tests.fakes.upstream import HELLO, Upstream, as_json

pytestmark = pytest.mark.slow

ASK: Final = """
import json, sys, urllib.request
url, token = sys.argv[1:]
body = json.dumps({"model": "cloud", "messages": [{"role": "user", "content": "hello"}]}).encode()
request = urllib.request.Request(url + "/v1/chat/completions", body, {"content-type": "application/json"})
request.add_header("authorization", "Bearer " + token)
try:
    print(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).status)
except urllib.error.HTTPError as error:
    print(error.status, json.load(error)["error"]["message"])
"""


def command(here: House[Upstream], *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "daemon.cli.main", *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, env=here.daemon.environment)


async def test_the_switch(tmp_path: Path) -> None:
    """On: a request for the cloud is refused with the way out, `auto` is answered here, who watches is told, a question to
    the provider by command too; off: it leaves again. Not a byte arrives meanwhile.
    """
    async with house(tmp_path, HELLO) as here:
        seen = await asyncio.to_thread(here.control.events, None, 0)
        told = await asyncio.to_thread(command, here, "local-only", "on")
        assert told.stdout == "local-only: nothing leaves this machine\n"

        refused = await here.ask("hello")
        assert refused.status_code == 403
        assert "nearloop local-only off" in refused.json()["error"]["message"]
        assert (await here.ask("hello", "auto")).headers["x-nearloop-egress"] == "none"
        assert (await asyncio.to_thread(here.control.status)).local_only
        assert "local-only" in (await asyncio.to_thread(command, here, "status")).stdout
        tested = await asyncio.to_thread(command, here, "provider", "test", "work")
        assert tested.returncode == 1
        assert "local-only" in tested.stderr
        assert here.served.requests == []
        events = await asyncio.to_thread(here.control.events, seen.next - 1, 0)
        assert [event.data["local_only"] for event in events.events if event.kind == "privacy"] == [True]

        await asyncio.to_thread(command, here, "local-only", "off")
        assert (await here.ask("hello")).headers["x-nearloop-egress"] == "open"
        assert len(here.served.requests) == 1


async def test_it_holds_for_what_is_on_its_way(tmp_path: Path) -> None:
    """A request that waits for another try when the switch is turned does not go out again."""
    busy = as_json({"error": {"message": "slow down"}}, 429, retry_after="5")
    async with house(tmp_path, busy, HELLO) as here:
        running = asyncio.create_task(here.ask("hello"))
        async with asyncio.timeout(20):
            while not here.served.requests:
                await asyncio.sleep(0.01)
        await asyncio.to_thread(here.control.set_local_only, True)

        answer = await running

        assert answer.status_code == 403
        assert len(here.served.requests) == 1


def test_it_outlives_the_daemon_and_works_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned while no daemon runs, it keeps pulls from the network, and the next daemon from all."""
    monkeypatch.setenv("NEARLOOP_HOME", str(tmp_path / "home"))
    line = [sys.executable, "-m", "daemon.cli.main"]
    on, shown, pulled = (
        subprocess.run([*line, *words], capture_output=True, text=True, timeout=60)
        for words in (("local-only", "on"), ("local-only",), ("models", "pull", "example/repository", "model.gguf"))
    )
    assert (on.returncode, on.stdout) == (0, "local-only: nothing leaves this machine\n")
    assert shown.stdout == on.stdout
    assert pulled.returncode == 1
    assert "local-only" in pulled.stderr
    with running(tmp_path / "home") as daemon, daemon.client() as control:
        assert control.status().local_only


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who asks")
async def test_a_marked_folder(tmp_path: Path) -> None:
    """What a program asks from inside a marked folder stays here, with a token for the cloud, too."""
    folder = tmp_path / "clinic" / "src"
    folder.mkdir(parents=True)

    def ask(url: str, control: Client) -> str:
        token = control.add_client("agent", None).token
        return subprocess.run(
            [sys.executable, "-c", ASK, url, token], cwd=folder, capture_output=True, text=True, check=True, timeout=60
        ).stdout

    async with house(tmp_path, HELLO) as here:
        (folder.parent / MARKER).touch()
        refused = await asyncio.to_thread(ask, here.daemon.url, here.control)
        assert refused.startswith("403 this request stays on this machine")
        assert here.served.requests == []
        (folder.parent / MARKER).unlink()
        await asyncio.to_thread(here.control.revoke_client, "agent")
        assert (await asyncio.to_thread(ask, here.daemon.url, here.control)).strip() == "200"
