"""Pictures that a request only names."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from daemon.boundary.switch import Switch
from daemon.pictures.carried import data_url
from daemon.pictures.fetching import Fetching
from providers.contract import File, Image, Message, Request, Text, Unreachable
from providers.texts import carried
from tests.fakes.clock import HeldClock
from tests.fakes.drawn import note, saved

LISTED = "https://images.example.org/"
PICTURE = saved(note(["words"]))


class Shelf:
    """A host with some pictures."""

    def __init__(self, **had: bytes) -> None:
        self.had = had
        self.asked: list[str] = []

    def lists(self, url: str) -> bool:
        return url.startswith(LISTED)

    async def fetch(self, url: str) -> bytes:
        self.asked.append(url)
        if (data := self.had.get(url.removeprefix(LISTED))) is None:
            raise Unreachable("it isn't there")
        return data

    async def close(self) -> None:
        """Nothing is open."""


def asked(*urls: str) -> Request:
    parts = (Text("what is it?"), *(Image(url, "low") for url in urls), File(LISTED + "a"))
    return Request(id="0" * 16, model="auto", messages=(Message("user", parts),), protocol="openai-chat")


async def test_then_the_request_carries_it(tmp_path: Path) -> None:
    """Once for each URL and hour; others stay as they are, and why is told."""
    shelf = Shelf(a=PICTURE, page=b"<html>")
    fetching = Fetching(shelf, Switch(tmp_path / "on"), HeldClock())
    request = asked(LISTED + "a", LISTED + "a", LISTED + "gone", LISTED + "page", "https://other.example.org/a")
    for _ in range(2):
        found, codes = await fetching.fetched(request, carried(request), 5)
        parts = [part for _, part in carried(found)]
        assert [part.url for part in parts[:2]] == [data_url(PICTURE, "png")] * 2
        assert parts[2:] == [part for _, part in carried(request)][2:]
        assert isinstance(parts[0], Image)
        assert parts[0].detail == "low"
        assert codes == {f"messages[0].parts[{n}]": "not-fetched" for n in (3, 4)}
    assert shelf.asked.count(LISTED + "a") == 1


async def test_what_has_to_stay(tmp_path: Path) -> None:
    """Nothing is asked for a request that stays here, nor while this machine is local-only."""
    shelf, switch = Shelf(a=PICTURE), Switch(tmp_path / "on")
    fetching, request = Fetching(shelf, switch, HeldClock()), asked(LISTED + "a")
    here = replace(request, reach="device")
    assert await fetching.fetched(here, carried(here), 5) == (here, {"messages[0].parts[1]": "not-fetched"})
    switch.turn(on=True)
    assert (await fetching.fetched(request, carried(request), 5))[0] == request
    assert shelf.asked == []


async def test_late(tmp_path: Path) -> None:
    """There is no time left: nobody is asked."""
    fetching, request = Fetching(Shelf(a=PICTURE), Switch(tmp_path / "on"), HeldClock()), asked(LISTED + "a")
    assert await fetching.fetched(request, carried(request), 0) == (request, {"messages[0].parts[1]": "late"})
