"""Our own commands in a process of their own, with real processes."""

from __future__ import annotations

import sys
from contextlib import aclosing

import psutil
import pytest

from daemon.errors import BadRequest
from daemon.own_command import answer, command, lines


def python(script: str) -> list[str]:
    return [sys.executable, "-u", "-c", script]


async def test_it_is_the_command_line() -> None:
    """A command is started as a user would, and says what it says there."""
    said = [line async for line in lines(command("version"))]

    assert said
    assert "nearloop" in said[0].lower()


async def test_it_has_the_environment_of_who_started_us(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the daemon sets while it runs, as for OpenVINO, doesn't tell a command to stay off the network."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "set-while-running")
    said = [line async for line in lines(python("import os; print(os.environ.get('HF_HUB_OFFLINE'))"))]

    assert said != ["set-while-running"]


async def test_its_error_is_raised_in_its_words() -> None:
    """What it says at last is the error, without the prefix that a terminal needs; what it said before was told."""
    told: list[str] = []
    with pytest.raises(BadRequest) as caught:
        async for line in lines(python("print('one'); print('nearloop: no such thing'); raise SystemExit(1)")):
            told.append(line)

    assert told == ["one"]
    assert str(caught.value) == "no such thing"


async def test_whoever_stops_listening_ends_it() -> None:
    """Closing the generator ends the process, also one that does not want to."""
    stubborn = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(os.getpid()); time.sleep(60)"
    )
    for script in ("import os, time; print(os.getpid()); time.sleep(60)", stubborn):
        async with aclosing(lines(python(script))) as told:
            pid = int(await anext(told))
            assert psutil.pid_exists(pid)

        assert not psutil.pid_exists(pid)


async def test_an_option_is_never_an_argument() -> None:
    """A name that looks like an option, behind the mark, is a name."""
    with pytest.raises(BadRequest, match="no model"):
        async for _ in lines(command("models", "remove", "--", "--force")):
            pass


async def test_an_answer_is_what_it_prints() -> None:
    """Also if its exit status says that something is wrong; what it says aside is not a part of it."""
    script = "import sys; print('[1]'); print('aside', file=sys.stderr); raise SystemExit(1)"

    assert await answer(python(script)) == b"[1]\n"


async def test_no_answer_is_an_error_in_its_words() -> None:
    """Its last words are raised."""
    with pytest.raises(BadRequest, match="no such thing"):
        await answer(python("import sys; print('nearloop: no such thing', file=sys.stderr); raise SystemExit(1)"))
