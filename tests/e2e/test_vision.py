"""Requests with pictures through a whole daemon, with the built-in recipe for them: who answers, what leaves, what is kept."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest

from daemon import wire
from daemon.cli.why import explain
from daemon.client import Client
from daemon.settings import parse
from providers.contract import Sight
from tests.fakes import seeing_daemon
from tests.fakes.drawn import note, saved
from tests.fakes.running import SCRIPTED, RunningDaemon, running
from tests.fakes.sights import sight
from tests.fakes.upstream import HELLO, Upstream, on_a_thread

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).resolve().parents[2]
SETTINGS: Final = """
[policy]
privacy = "balanced"
[signals]
deadline_s = 60
[routing]
recipe = "vision"
models = {{ vision = "{vision}", vision_here = "eye/sees", medical = "clinic/radiology" }}
[providers.eye]
base_url = "{eye}"
models = ["sees"]
key = "none"
place = "device"
[providers.clinic]
base_url = "{clinic}"
models = ["radiology"]
key = "none"
place = "device"
[providers.work]
base_url = "{work}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
"""
CANARY: Final = "QUELLBRUNN"
SECRET: Final = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ9vT2LkAa"
PICTURES: Final[dict[bytes, Sight]] = {
    b"passport": sight("identity_document", words=f"PASSPORT\n{CANARY}<<ADA<<<<<<<<<<<<<<<<<<<<<<<<<<<<<"),
    b"x-ray": sight("medical"),
    b"code": sight("code_screenshot", words="def mean(values):\n    return sum(values) / len(value)"),
    b"code with a key": sight("code_screenshot", words=f"aws_secret_access_key = '{SECRET}'"),
    b"car": sight("photo", things={"vehicle": 0.9}),
    b"page": sight("ui", words="Settings\nSave"),
}


class House:
    """A daemon with two servers of this machine and a cloud."""

    def __init__(self, control: Client, client: httpx.Client, served: dict[str, Upstream]) -> None:
        self.control = control
        self.client = client
        self.served = served

    def begin(self) -> None:
        """Forget what was asked."""
        for one in self.served.values():
            one.requests.clear()

    def ask(self, said: str, picture: bytes, model: str = "auto") -> httpx.Response:
        parts = [{"type": "text", "text": said}, {"type": "image_url", "image_url": {"url": url(picture)}}]
        return self.send("/v1/chat/completions", model=model, messages=[{"role": "user", "content": parts}])

    def send(self, path: str, **body: Any) -> httpx.Response:
        return self.client.post(path, json=body)

    def kept(self, answer: httpx.Response) -> wire.RecordDetail:
        return self.control.record(answer.headers["x-nearloop-record"])

    def record(self, answer: httpx.Response) -> wire.Record:
        return self.kept(answer).record

    def asked(self) -> dict[str, int]:
        """How many questions each provider got."""
        return {name: sum(each.method == "POST" for each in one.requests) for name, one in self.served.items()}


def url(picture: bytes) -> str:
    return f"data:image/png;base64,{b64encode(picture).decode()}"


@contextmanager
def house(folder: Path, module: str, pictures: Mapping[bytes, Sight], more: str = "") -> Iterator[House]:
    """module: what is run: `daemon`, or one that sees what a test says."""
    with on_a_thread(HELLO) as eye, on_a_thread(HELLO) as clinic, on_a_thread(HELLO) as work:
        served = {"eye": eye, "clinic": clinic, "work": work}
        settings = SETTINGS.format(vision="eye/sees", **{name: each.url for name, each in served.items()}) + more
        environment = {
            "NEARLOOP_TEST_KEY": "sk-of-the-tests-0123456789",
            **seeing_daemon.write(folder / "sights.json", pictures),
        }
        settings = SCRIPTED.format(options="") + settings
        daemon = RunningDaemon(folder / "home", settings, environment, module=module)
        try:
            daemon.wait_ready()
            with daemon.client() as control:
                token = control.add_client("tests", None).token
                with daemon.http(headers={"authorization": f"Bearer {token}"}) as client:
                    yield House(control, client, served)
        finally:
            daemon.stop()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A daemon that sees what PICTURES says."""
    with house(tmp_path_factory.mktemp("told"), "tests.fakes.seeing_daemon", PICTURES) as here:
        yield here


@pytest.fixture
def seeing(told: House) -> House:
    """The same, with nothing asked yet."""
    told.begin()
    return told


@pytest.mark.parametrize(
    ("said", "picture", "decision", "by"),
    [
        ("summarise this", b"passport", "identity", "eye/sees"),
        ("what does this show?", b"x-ray", "medical", "clinic/radiology"),
        ("find the bug", b"code", "code_picture", "eye/sees"),
        ("find the bug", b"code with a key", "leaky_code", "eye/sees"),
    ],
)
def test_what_a_picture_shows_decides_who_answers(
    seeing: House, said: str, picture: bytes, decision: str, by: str
) -> None:
    """A passport, a medical picture, code, and code with a key in it: each is answered on this machine, by who is for it."""
    answer = seeing.ask(said, picture)
    record = seeing.record(answer)

    assert answer.headers["x-vsr-selected-decision"] == decision
    assert answer.json()["model"] == by
    assert answer.headers["x-nearloop-egress"] == "none"
    assert seeing.asked() == {"eye": 0, "clinic": 0, "work": 0} | {by.partition("/")[0]: 1}
    (seen,) = record.pictures
    assert seen.kind == max(PICTURES[picture].kinds, key=lambda kind: PICTURES[picture].kinds[kind])
    assert any(line.startswith("Picture 1 (messages[0].parts[1]): png, 640 × 480") for line in explain(record))
    told = msgspec.json.encode(record).decode() + "\n".join(explain(record))
    assert not any(word in told for word in (CANARY, SECRET, "mean(values)"))


def test_the_lane_for_code_asks_for_what_is_unsafe(seeing: House) -> None:
    """The recipe's words stand before the client's."""
    seeing.ask("find the bug", b"code")

    (sent,) = [each.json for each in seeing.served["eye"].requests if each.method == "POST"]
    assert "name what makes it unsafe" in msgspec.json.encode(sent["messages"][0]).decode()


def test_findings_are_counted_with_their_picture(seeing: House) -> None:
    """A key in a screenshot is told as a class, as one in a text is."""
    record = seeing.record(seeing.ask("find the bug", b"code with a key"))

    assert sum(record.pictures[0].findings.values()) >= 1
    assert {seen.signal for seen in record.seen} >= {"secret", "image"}


def test_a_car_in_a_medical_question_asks_back(seeing: House) -> None:
    """Nobody is asked; the same picture beside words about cars is answered."""
    back = seeing.ask("What does this rash mean?", b"car")
    fine = seeing.ask("Which car is this?", b"car")

    assert back.headers["x-vsr-selected-decision"] == "wrong_picture"
    assert back.headers["x-vsr-fast-response"] == "true"
    assert "Is it the right one?" in back.json()["choices"][0]["message"]["content"]
    assert fine.headers["x-vsr-selected-decision"] == "picture"
    assert seeing.asked() == {"eye": 1, "clinic": 0, "work": 0}


def test_a_passport_does_not_reach_a_cloud_that_is_named(seeing: House) -> None:
    """Not even if its client asks for that model."""
    refused = seeing.ask("summarise this", b"passport", model="work/big")

    assert refused.status_code == 403
    assert "1 identity_document in messages[0].parts[1]" in refused.text
    assert seeing.asked()["work"] == 0
    assert CANARY not in refused.text


def of_claude_code() -> tuple[str, dict[str, Any]]:
    """A screenshot as a tool's result, with words beside it."""
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(b"page").decode()}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "image", "source": source}]}
    messages = [
        {"role": "user", "content": "open the settings page"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "screenshot", "input": {}}]},
        {"role": "user", "content": [result, {"type": "text", "text": "go on"}]},
    ]
    return "/v1/messages", {"model": "auto", "max_tokens": 50, "messages": messages}


def of_codex() -> tuple[str, dict[str, Any]]:
    """A screenshot as a function's output."""
    items = [
        {"role": "user", "content": "open the settings page"},
        {"type": "function_call", "call_id": "c1", "name": "view_image", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": [{"type": "input_image", "image_url": url(b"page")}],
        },
    ]
    return "/v1/responses", {"model": "auto", "input": items, "store": False}


def of_a_browser_tool() -> tuple[str, dict[str, Any]]:
    """A protocol whose tools give text alone: the picture follows as the user's."""
    call = {"id": "c1", "type": "function", "function": {"name": "browser", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "open the settings page"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "the screenshot follows"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url(b"page")}}]},
    ]
    return "/v1/chat/completions", {"model": "auto", "messages": messages}


@pytest.mark.parametrize("made", [of_claude_code, of_codex, of_a_browser_tool], ids=lambda made: made.__name__)
def test_screenshots_of_coding_agents(seeing: House, made: Any) -> None:
    """In each protocol they go to the user's own model that sees, without long thought."""
    path, body = made()
    answer = seeing.send(path, **body)

    assert answer.status_code == 200, answer.text
    assert answer.headers["x-vsr-selected-decision"] == "screenshots"
    assert seeing.asked() == {"eye": 1, "clinic": 0, "work": 0}
    assert [each.kind for each in (seeing.record(answer)).pictures] == ["ui"]


def test_what_nobody_could_look_at_says_why(seeing: House) -> None:
    """It stays, and its record has the code."""
    answer = seeing.ask("what is it?", b"nobody knows this one")
    record = seeing.record(answer)

    assert seeing.asked()["work"] == 0
    assert [(each.error, each.kind) for each in record.pictures] == [("broken", None)]
    assert "nobody saw what is in it, since it is broken" in "\n".join(explain(record))


def test_with_the_eyes_themselves(tmp_path: Path) -> None:
    """What is drawn is read: numbers and classes are in the record, a thumbnail with the words that are kept, and neither the
    picture nor a word of it.
    """
    pytest.importorskip("rapidocr")
    drawn = saved(note(["write to", "ada.quellbrunn@quellbrunn-werke.de"]))
    with house(tmp_path, "daemon", {}, "[records]\ncontent = true\n") as here:
        answer = here.ask("what does it say?", drawn)
        kept = here.kept(answer)
        files = tmp_path / "home"
        held = holding(files, kept)
        here.control.purge("0s")
        left = holding(files, kept)

    assert here.asked()["work"] == 0
    (seen,) = kept.record.pictures
    assert (seen.form, seen.error, seen.words) == ("png", None, 3)
    assert seen.findings == {"EMAIL_ADDRESS": 1}
    assert kept.content
    (_, picture) = kept.content.request[0]["parts"]
    small = b64decode(picture["url"].partition(",")[2])
    assert small.startswith(b"\xff\xd8")
    assert len(small) < len(drawn)
    assert (held, left) == (True, False)
    assert "quellbrunn" not in msgspec.json.encode((kept.record, kept.content.request)).decode()


def holding(folder: Path, kept: wire.RecordDetail) -> bool:
    """Whether a piece of the thumbnail stands in any file; a row may go over several pages of one."""
    assert kept.content
    small = kept.content.request[0]["parts"][1]["url"].partition(",")[2].encode()
    pieces = [small[at : at + 60] for at in range(0, len(small) - 60, 60)]
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return any(piece in file for piece in pieces for file in files)


def test_the_page(tmp_path: Path) -> None:
    """Every command of docs/vision.md does what the page says, and its recipe is one; its settings are settings."""
    pytest.importorskip("rapidocr")
    (sh,), (dsl,), (routing, pictures) = blocks("sh"), blocks("dsl"), blocks("toml")
    (tmp_path / "mine.dsl").write_text(dsl)
    (tmp_path / "passport.png").write_bytes(saved(note(["PASSPORT", "QUELLBRUNN", "ADA"])))
    (tmp_path / "screenshot.png").write_bytes(saved(note(["def mean(values):", "return sum(values)"], dark=True)))
    parse(f"version = 1\n{routing}\n{pictures}")
    said: list[str] = []
    with running(tmp_path / "home", extra=pictures) as daemon:
        for line in sh.strip().splitlines():
            name, *words = shlex.split(line)
            assert name == "nearloop"
            command = [sys.executable, "-m", "daemon.cli.main", *words]
            done = subprocess.run(
                command,
                cwd=tmp_path,
                env={**daemon.environment, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                timeout=120,
            )
            assert done.returncode == 0, line + done.stdout + done.stderr
            said.append(done.stdout)

    first, second, used, third, checked, signals = said
    for told in (first, second, third, signals):
        assert re.search(
            r"^Picture 1 \(messages\[0\]\.parts\[1\]\): png, 640 × \d+ pixels, \d+ bytes, ", told, re.MULTILINE
        )
    assert "Recipe vision: " in third
    assert "QUELLBRUNN" not in "".join(said)
    assert used
    assert "mine.dsl: good" in checked
    assert re.search(r"^image  bank_details .* no ", signals, re.MULTILINE)


def blocks(language: str) -> list[str]:
    """Of the page."""
    page = (ROOT / "docs" / "vision.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
