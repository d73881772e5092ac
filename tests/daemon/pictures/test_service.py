"""Looking at the pictures of requests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from datetime import timedelta
from time import monotonic

import psutil
import pytest
from msgspec.structs import replace

from daemon.pictures.carried import data_url
from daemon.pictures.service import Pictures
from edge_models.vision.limits import Unseeable
from edge_models.vision.process import EyesProcess
from providers.contract import File, Image, Message, Part, Request, Text, ToolResult
from providers.texts import carried, fields
from tests.fakes.clock import HeldClock
from tests.fakes.drawn import note, saved

pytest.importorskip("rapidocr")
SECRET = "key: hunter2-4711-XYZ"


@pytest.fixture(scope="module")
def eyes() -> Iterator[EyesProcess]:
    process = EyesProcess()
    yield process
    process.close()


class Counting:
    """The same eyes, counting looks."""

    def __init__(self, eyes: EyesProcess) -> None:
        self.looks = 0
        self._look = eyes.look

    def __call__(self, *args: object) -> object:
        self.looks += 1
        return self._look(*args)  # type: ignore[arg-type]


@pytest.fixture
def counting(eyes: EyesProcess, monkeypatch: pytest.MonkeyPatch) -> Counting:
    counts = Counting(eyes)
    monkeypatch.setattr(eyes, "look", counts)
    return counts


def pictures(
    eyes: EyesProcess | None, deadline_s: float = 60.0, most: int = 10, clock: HeldClock | None = None
) -> Pictures:
    return Pictures(eyes, clock or HeldClock(), deadline_s, most, 24 << 20)


def asked(*parts: Part) -> Request:
    return Request(id="0" * 16, model="auto", messages=(Message("user", parts),), protocol="openai-chat")


def picture(*lines: str) -> Image:
    return Image(data_url(saved(note(lines)), "png"))


async def test_sights_are_put_in(eyes: EyesProcess) -> None:
    """What is seen stands beside each picture, in tools' results too, and nothing else of the request changes."""
    shot = picture("tool says", SECRET)
    request = asked(Text("what is it?"), picture("Dear Mrs Miller,"), ToolResult("c1", (Text("here"), shot)))
    looked = await pictures(eyes).look(request)
    texts = {each.path: each.text for each in fields(looked.request)}
    assert texts["messages[0].parts[1].sight"] == "Dear Mrs Miller,"
    assert texts["messages[0].parts[2].1.sight"] == f"tool says\n{SECRET}"
    assert looked.unseen == {}
    assert set(looked.took_ms) == {each.path for each in carried(request)}
    stripped = replace(looked.request.messages[0].parts[1], sight=None)
    assert (stripped, looked.request.messages[0].parts[0]) == request.messages[0].parts[1::-1]


async def test_codes(eyes: EyesProcess) -> None:
    """What can't be looked at stays as it was, and why is told."""
    request = asked(
        Image("https://example.com/a.png"),
        Image("data:image/png;base64,AAAA"),
        File("file-123", "a.pdf"),
        Image("data:image/png;base64,!"),
        Image("data:image/png;base64,aGVsbG8gdGhlcmU="),
    )
    looked = await pictures(eyes).look(request)
    assert looked.request == request
    assert list(looked.unseen.values()) == ["not-a-picture", "broken", "elsewhere", "unknown-format", "elsewhere"]


async def test_the_newest_first(eyes: EyesProcess) -> None:
    """Beyond so many in a request, the older ones are not looked at."""
    looked = await pictures(eyes, most=1).look(asked(picture("old"), picture("new one")))
    assert looked.unseen == {"messages[0].parts[0]": "too-many"}
    assert [each.text for each in fields(looked.request)] == ["new one"]


async def test_looked_at_once(eyes: EyesProcess, counting: Counting) -> None:
    """A conversation comes back whole; also two at the same time look once."""
    service, request = pictures(eyes), asked(picture(SECRET), picture(SECRET))
    first, second = await asyncio.gather(service.look(request), service.look(request))
    third = await service.look(request)
    assert counting.looks == 1
    assert first.request == second.request == third.request
    service.forget_older(timedelta())
    await service.look(request)
    assert counting.looks == 2


async def test_codes_are_remembered_unless_they_say_nothing_of_the_picture(
    eyes: EyesProcess, counting: Counting
) -> None:
    """A broken picture is broken next time too; one whose look was ended is looked at again."""
    service = pictures(eyes)
    broken = asked(Image(data_url(saved(note(["a"]))[:-50], "png")))
    for _ in range(2):
        assert list((await service.look(broken)).unseen.values()) == ["broken"]
    assert counting.looks == 1


async def test_late_and_done_next_time(eyes: EyesProcess) -> None:
    """Who is late was not seen, and is found done by the next request."""
    service = pictures(eyes, deadline_s=0.01)
    request = asked(picture(*["some words that take their while to be read"] * 6))
    began = monotonic()
    looked = await service.look(request)
    assert list(looked.unseen.values()) == ["late"]
    assert monotonic() - began < 1
    async with asyncio.timeout(60):
        while (await service.look(request)).unseen:
            await asyncio.sleep(0.02)


async def test_cancelled(eyes: EyesProcess) -> None:
    """A client that hangs up leaves the eyes as they are."""
    service = pictures(eyes)
    request = asked(picture(*["some words that take their while to be read"] * 6))
    task = asyncio.create_task(service.look(request))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await service.look(request)).unseen == {}


async def test_no_picture_no_process() -> None:
    """Without pictures nothing is started, and where it is switched off neither."""
    idle = EyesProcess()
    request = asked(Text("hello"))
    assert (await pictures(idle).look(request)).request is request
    assert idle.pid is None
    off = pictures(None)
    assert not off.on
    assert await off.look(asked(picture("a"))) == (asked(picture("a")), {}, {})


async def test_no_package_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its package is missing no process is started to learn that."""
    monkeypatch.setattr("edge_models.vision.models.find_spec", lambda name: None)
    idle = EyesProcess()
    assert list((await pictures(idle).look(asked(picture("a")))).unseen.values()) == ["not-installed"]
    assert idle.pid is None


async def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its packages each picture is unseen, with the code that says so."""
    hidden = "import edge_models.vision.models as m, edge_models.vision.worker as w; m.find_spec = lambda name: None; w.main()"
    monkeypatch.setattr("edge_models.vision.process.worker_command", lambda: [sys.executable, "-c", hidden])
    assert list((await pictures(EyesProcess()).look(asked(picture("a")))).unseen.values()) == ["not-installed"]


async def test_painted_and_seen_again(eyes: EyesProcess) -> None:
    """What was painted over can't be seen any more; bytes are had of the URL."""
    service = pictures(eyes)
    data = await service.bytes_of(picture("Dear Mrs Miller,", SECRET).url)
    sight = await service.see(data)
    assert sight.text == f"Dear Mrs Miller,\n{SECRET}"
    made = await service.paint(data, [sight.lines[1].box], max_side=500)
    assert (await service.see(made.data)).text == "Dear Mrs Miller,"
    assert made.width == 500
    with pytest.raises(Unseeable):
        await service.paint(b"nonsense", [sight.lines[1].box])
    await service.paint(data, max_side=100)
    assert (service.painted, service.boxes) == (1, 1)  # neither what failed nor what was only made smaller


@pytest.mark.slow
async def test_ended_when_idle_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process goes when nobody needs it for a while, and with the daemon."""
    monkeypatch.setattr("daemon.pictures.service._LOOK_S", 0.01)
    monkeypatch.setattr("daemon.pictures.service.IDLE_S", 0.0)
    own = EyesProcess()
    service = pictures(own)
    await service.look(asked(picture("a")))
    pid = own.pid
    keeping = asyncio.create_task(service.keep())
    async with asyncio.timeout(30):
        while pid and psutil.pid_exists(pid):
            await asyncio.sleep(0.02)
    keeping.cancel()
    await service.look(asked(picture("b")))
    last = own.pid
    await asyncio.to_thread(service.close)
    assert last
    assert not psutil.pid_exists(last)
    assert list((await service.look(asked(picture("c")))).unseen.values()) == ["crashed"]
