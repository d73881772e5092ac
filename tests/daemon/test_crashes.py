"""Faults that nobody foresaw are told without anybody's words."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from daemon.crashes import Wordless, place_of, told

CANARY = "zanzibar-canary-7319"
SCRIPT = f"""
import asyncio, gc, logging, threading
from daemon.crashes import keep_words_out, watch

keep_words_out()
CANARY = "{CANARY}"

def fail():
    raise ValueError("what is " + CANARY)

class Late:
    def __del__(self):
        fail()

class Future(asyncio.Future):
    def __repr__(self):
        return CANARY

async def task():
    try:
        fail()
    except ValueError as error:
        raise KeyError(CANARY) from error

async def main():
    watch(asyncio.get_running_loop())
    lost = asyncio.create_task(task(), name="task-" + CANARY)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del lost
    gc.collect()
    asyncio.get_running_loop().call_exception_handler({{"message": CANARY, "future": Future()}})
    logging.getLogger("asyncio").error("Task was lost\\nfuture: %r", Future())

asyncio.run(main())
thread = threading.Thread(target=fail, name=CANARY)
thread.start()
thread.join()
Late()
try:
    fail()
except ValueError:
    logging.getLogger("uvicorn.error").exception("Exception in ASGI application")
fail()
"""


def test_no_door_lets_words_out() -> None:
    """The end of the main thread and of another, a lost task, a late clean-up and a library's log tell type and place."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60)

    assert done.returncode == 1
    assert CANARY not in done.stdout + done.stderr
    for sign in (
        "nobody awaited: KeyError in <string>",
        "; after ValueError in <string>",
        "nobody awaited: something without an exception",
        "asyncio ERROR Task was lost",
        "a thread ended by ValueError in <string>",
        "could not clean up: ValueError in <string>",
        "uvicorn.error ERROR Exception in ASGI application",
        "ended by ValueError in <string>",
    ):
        assert sign in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def raised() -> BaseException:
    try:
        try:
            raise LookupError(CANARY)
        except LookupError as cause:
            raise ValueError(CANARY) from cause
    except ValueError as error:
        return error


def test_what_is_told() -> None:
    """The innermost frame first, and what it came from; circles end."""
    error = raised()
    assert error.__cause__ is not None
    error.__cause__.__context__ = error

    said = told(error)

    assert said.startswith("ValueError in ")
    assert said.count("; after LookupError in ") == 1
    assert __file__ in said
    assert CANARY not in said
    assert place_of(error).startswith(__file__)
    assert place_of(ValueError(CANARY)) == "an unknown place"


@pytest.mark.parametrize("name", ["nearloop", "asyncio", "litestar"])
def test_log_lines_stay_what_they_are(name: str) -> None:
    """A line without an exception is as it was written."""
    record = logging.LogRecord(name, logging.WARNING, __file__, 1, "worker of %s ended", ("play",), None)

    assert Wordless("%(message)s").format(record) == "worker of play ended"
