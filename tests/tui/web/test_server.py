"""The dashboard in a browser: who is let in, and that a real one shows it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from daemon.own_command import command
from tests.fakes.chromium import FOUND, page
from tests.fakes.played_daemon import PlayedDaemon
from tui.web import server
from tui.web.server import serving


@pytest.fixture
async def address() -> AsyncIterator[URL]:
    """Of a served dashboard."""
    async with serving(command("tui")) as address:
        yield URL(address)


@pytest.fixture
async def visitor() -> AsyncIterator[aiohttp.ClientSession]:
    """Somebody with a jar for cookies."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


async def test_the_address_opens_once(address: URL, visitor: aiohttp.ClientSession) -> None:
    """Who brings the word gets the page, and may load it again; the next who brings it gets nothing."""
    async with visitor.get(address) as answer:
        assert answer.status == 200
        assert "data-session-websocket-url" in await answer.text()
        inside = answer.url
    async with visitor.get(inside) as answer:
        assert answer.status == 200
    async with visitor.get(address) as answer:
        assert answer.status == 403

    async with aiohttp.ClientSession() as stranger:
        for url in (address, inside, inside / "ws", inside / "static/js/textual.js", inside / "scripts/focus.js"):
            async with stranger.get(url) as answer:
                assert answer.status == 403, url


async def test_a_wrong_word_opens_nothing(address: URL, visitor: aiohttp.ClientSession) -> None:
    """And the right one still does afterwards."""
    for query in ({}, {"token": ""}, {"token": "ä"}, {"token": str(address.query["token"])[:-1]}):
        async with visitor.get(address.with_query(query)) as answer:
            assert answer.status == 403
            assert "set-cookie" not in answer.headers
    async with visitor.get(address) as answer:
        assert answer.status == 200


@pytest.mark.parametrize("host", ["localhost:{port}", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1"])
async def test_other_names_are_refused(address: URL, visitor: aiohttp.ClientSession, host: str) -> None:
    """A name that was made to point here (DNS rebinding) opens nothing, whatever it brings."""
    async with visitor.get(address, headers={"host": host.format(port=address.port)}) as answer:
        assert answer.status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost:{port}"])
async def test_pages_of_others_are_refused(address: URL, visitor: aiohttp.ClientSession, origin: str) -> None:
    """With the cookie as well: a page that another server of this machine serves can't steer the dashboard."""
    async with visitor.get(address) as answer:
        inside = answer.url
    headers = {"origin": origin.format(port=address.port)}
    async with visitor.get(inside / "ws", headers=headers) as answer:
        assert answer.status == 403


async def test_the_cookie_is_for_the_folder_alone(address: URL, visitor: aiohttp.ClientSession) -> None:
    """Browsers don't tell ports apart: another server of this machine is never sent it."""
    async with visitor.get(address, allow_redirects=False) as answer:
        cookie = answer.cookies["nearloop"]
        assert cookie["path"] == answer.headers["location"] != "/"
        assert cookie["httponly"]
        assert cookie["samesite"] == "Strict"


async def test_every_answer_says_what_the_page_may_do(address: URL, visitor: aiohttp.ClientSession) -> None:
    """Nothing from elsewhere, and in nobody's frame; refusals too."""
    async with visitor.get(address) as page_, visitor.get(address) as refusal:
        for answer in (page_, refusal):
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["referrer-policy"] == "no-referrer"
        assert "://" not in (await page_.text()).replace(f"://127.0.0.1:{address.port}", "")


async def test_not_more_dashboards_than_some(
    address: URL, visitor: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a process: who opens more is told so."""
    monkeypatch.setattr(server, "MOST", 1)
    async with visitor.get(address) as answer:
        inside = answer.url
    async with visitor.ws_connect(inside / "ws"):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await visitor.ws_connect(inside / "ws")
        assert refused.value.status == 503


@pytest.mark.skipif(FOUND is None, reason="no Chromium here")
async def test_chromium_shows_it(played: PlayedDaemon, address: URL, tmp_path: Path) -> None:
    """The dashboard's process runs behind the page, and a key without a click first reaches it; nothing is asked of anybody else."""
    async with page(tmp_path / "browser") as shown:
        await shown.call("Page.navigate", url=str(address))
        await shown.until("document.body?.classList.contains('-first-byte')")
        await shown.press("q")
        await shown.until("document.body.classList.contains('-closed')")

        own = (f"http://127.0.0.1:{address.port}/", f"ws://127.0.0.1:{address.port}/", "data:", "about:")
        assert [url for url in shown.asked if not url.startswith(own)] == []
        assert any(url.startswith("ws://") for url in shown.asked)
        assert not [words for words in shown.said if "Content Security Policy" in words]
