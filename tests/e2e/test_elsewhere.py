"""Words stay where they belong: not in logs, files, processes, crashes or errors, whatever a provider answers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any, Final

import httpx
import psutil
import pytest

from tests.fakes.house import CHAT, House, house_of
from tests.fakes.upstream import HELLO, Answer, Received, Upstream, as_json, frames, said

pytestmark = pytest.mark.slow

CANARY: Final = "zanzibar-canary-7319"
_MAIL: Final = re.compile(r"[\w.+-]+@[\w.-]+\w")
SLOW: Final = f"[[tokens=2000]] [[delay=20]] {CANARY}"


class Echoing(Upstream):
    """Quotes what it is asked in every fault that it has, the kind of which the question names."""

    def choose(self, request: Received) -> Answer:
        asked: str = request.json["messages"][-1]["content"]
        error = {"error": {"message": asked, "type": asked, "code": asked, "param": asked, "metadata": [asked]}}
        match asked.split()[0]:
            case "refused":
                return as_json(error, 400)
            case "key":
                return as_json(error, 401)
            case "page":
                return Answer((f"<html>{asked}</html>".encode(),), 502, {"content-type": "text/html", "x-echo": asked})
            case "broken":
                return Answer((f"{{{asked}".encode(),), 200, {"content-type": "application/json"})
            case "frame":
                return Answer(frames(said("so "), error))
            case "call":
                call = {"index": 0, "id": asked, "function": {"name": asked, "arguments": asked}}
                return Answer(frames({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
        return HELLO


def files(*folders: Path) -> list[Path]:
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert found
    return found


def hold_no_words(*folders: Path) -> None:
    for path in files(*folders):
        assert CANARY.encode() not in path.read_bytes(), path


async def in_flight(here: House[Echoing], reading: int = 3) -> tuple[httpx.AsyncClient, Any, Any]:
    """A local answer that is being written: its client, its stream, and an iterator that has had some lines."""
    client = httpx.AsyncClient(base_url=here.daemon.url, trust_env=False, timeout=60)
    body = {"model": "local", "stream": True, "messages": [{"role": "user", "content": SLOW}]}
    stream = client.stream("POST", CHAT, json=body)
    lines = (await stream.__aenter__()).aiter_lines()
    for _ in range(reading):
        await anext(lines)
    return client, stream, lines


async def ends(lines: Any) -> None:
    """Read on until there is nothing more, however it ends."""
    try:
        async for _ in lines:
            pass
    except httpx.HTTPError:
        pass


def told_of(process: psutil.Process) -> str:
    """What every program of the user's can see of a process."""
    return json.dumps([process.cmdline(), process.environ(), process.name(), process.cwd()])


@pytest.mark.skipif(sys.platform == "win32", reason="signals that crash a process are other ones there")
async def test_faults_and_crashes(tmp_path: Path) -> None:
    """Errors that quote the question, a model's process and then the daemon itself that crash in the midst of an answer:
    the words stand in no error, log, record, file, temporary file or dump, and in no process's arguments or environment.
    """
    own = tmp_path / "temporary"
    own.mkdir()
    before = set(Path.cwd().iterdir())
    crash = {"PYTHONFAULTHANDLER": "1", "PYTHONWARNINGS": "default", "TMPDIR": str(own)}
    async with house_of(Echoing(), tmp_path, **crash) as here:
        for kind in ("refused", "key", "page", "broken", "frame", "call", "fine"):
            for stream in (False, True):
                await asyncio.to_thread(here.daemon.renew)  # else it is left alone after so many faults
                answer = await here.ask(f"{kind} {CANARY}", stream=stream)
                assert CANARY not in answer.text, kind
                assert CANARY not in json.dumps(dict(answer.headers)), kind
                assert (answer.status_code == 200) == (kind == "fine" or (kind == "frame" and stream)), answer.text
        assert CANARY.encode() in here.served.bytes

        daemon = psutil.Process(here.daemon.process.pid)
        client, stream, lines = await in_flight(here)
        everybody = [daemon, *daemon.children(recursive=True)]
        assert len(everybody) > 1
        for process in everybody:
            assert CANARY not in told_of(process)
            if sys.platform == "linux":
                assert max(process.rlimit(psutil.RLIMIT_CORE)) <= 1
        worker = await asyncio.to_thread(here.daemon.worker_pid)
        assert worker
        os.kill(worker, signal.SIGSEGV)
        await ends(lines)
        await client.aclose()
        assert (await here.ask("hi", model="local")).status_code == 200
        with here.daemon.client() as control:
            told = await asyncio.to_thread(control.events, 0, 0)
            assert CANARY not in json.dumps([event.data for event in told.events])
            records = await asyncio.to_thread(control.records, None, 100)
        assert CANARY not in repr(records)
        hold_no_words(tmp_path)

        client, stream, lines = await in_flight(here)
        os.kill(here.daemon.process.pid, signal.SIGSEGV)
        await ends(lines)
        await client.aclose()
        assert await asyncio.to_thread(here.daemon.process.wait, 20) == -signal.SIGSEGV
    assert (
        "Fatal Python error: Segmentation fault" in here.daemon.log.read_text()
    )  # the report was written, and is clean
    hold_no_words(tmp_path)
    assert {path for path in set(Path.cwd().iterdir()) - before if path.name.startswith("core")} == set()


class Fishing(Upstream):
    """Answers with every mail address that it was ever told, in all sessions, and asks whose they are."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, None] = {}

    def choose(self, request: Received) -> Answer:
        self.known |= dict.fromkeys(_MAIL.findall(request.body.decode()))
        guessed = [name.replace("@", "1@") for name in self.known]
        asked = f"Debug: print the originals of {', '.join([*self.known, *guessed])}, spelled backwards."
        if not request.json.get("stream"):
            message = {"role": "assistant", "content": asked}
            return as_json({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        return Answer(frames(*(said(letter) for letter in asked), said("", "stop")))


async def test_a_provider_that_fishes(tmp_path: Path) -> None:
    """A session gets its own values back and nobody else's; what its user answers to the question leaves masked again."""
    values = {"one": "ada.byron@analytical-engines.net", "two": "grace@cobol-compilers.net"}
    async with house_of(Fishing(), tmp_path) as here:

        async def ask(session: str, turns: list[Any], stream: bool) -> str:
            body = {"model": "cloud", "messages": turns, "stream": stream}
            answer = await here.client.post(CHAT, json=body, headers={"x-session-id": session})
            assert answer.status_code == 200, answer.text
            if not stream:
                return str(answer.json()["choices"][0]["message"]["content"])
            events = [json.loads(line[6:]) for line in answer.text.split("\n") if line.startswith("data: {")]
            return "".join(c["delta"].get("content") or "" for event in events for c in event["choices"])

        for stream in (False, True):
            talks = {name: [{"role": "user", "content": f"I am {value}"}] for name, value in values.items()}
            for _ in range(3):
                for name, turns in talks.items():
                    answer = await ask(name, turns, stream)
                    other = next(value for each, value in values.items() if each != name)
                    assert values[name] in answer
                    assert other not in answer
                    backwards = values[name][::-1]
                    turns += [
                        {"role": "assistant", "content": answer},
                        {"role": "user", "content": f"it is {values[name]}. {len(backwards)} letters."},
                    ]
        for value in values.values():
            assert value.encode() not in here.served.bytes
            assert value not in here.served.known
        assert len([name for name in here.served.known if "1@" not in name]) >= 2
