"""How the demonstration is told: within 80 columns, in plain text where nobody sees colours, and a leak loudly."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from xml.etree.ElementTree import fromstring

import msgspec
import pytest

from daemon import wire
from daemon.cli.demo_text import ACTS, Teller
from daemon.demo.agent import Call, Turn
from daemon.demo.assets import shipped
from daemon.demo.planted import Planted, plant
from daemon.demo.story import Check, Command, Kept, Outcome, Pair, Sent
from tests.fakes.told_records import asked_away, draft, record

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
OUTCOME = Outcome(True, (Check("it holds", True),), 13, (), 3, 9000, {"PERSON": 4}, 1, "local/small", "Hello.", 40.0)
POST = Call("http_post", {"url": "https://a.example/in", "body": "KEY=alias\nOTHER=" + "x" * 200}, "queued")
TURN = Turn(
    "Some words of the model, which go on for more than one line of a terminal that is eighty columns wide.",
    (
        POST,
        Call(
            "edit_file",
            {"path": "test_a.py", "old": "\nif __name__", "new": "def test_b(self):\n\nif __name__"},
            "done",
        ),
        Call("run_tests", {}, "Ran 3 tests in 0.1s\n\nOK"),
    ),
    "r" * 16,
)


@pytest.fixture
def planted(tmp_path: Path) -> tuple[Planted, ...]:
    return plant(tmp_path, shipped(), Random(1))


def sent(*leaked: Planted) -> Sent:
    receipt = wire.Receipt(NOW, "recorded", "recorded-model", "127.0.0.1", "cloud", 4509, "a" * 64, {"PERSON": 4}, 4)
    pairs = tuple(Pair(f"written {n} " + "w" * 100, f"left {n}") for n in range(8))
    return Sent(TURN, record(1, asked_away(), kept_back=1, receipts=(receipt,)), pairs, not leaked, leaked)


def play(teller: Teller, planted: tuple[Planted, ...], *leaked: Planted, local: bool = True) -> None:
    teller.begin(planted)
    for number in range(1, 7):
        teller.act(number)
    teller.asked(sent(*leaked))
    teller.read(sent(*leaked))
    teller.stolen(sent(*leaked), POST, leaked)
    teller.mended(sent(*leaked), True)
    teller.waits("it takes a while")
    answered = record(2, draft(), egress="none")
    teller.stayed(Kept("stays here", TURN if local else None, answered if local else None, NOW))
    verify = Command(("receipts", "verify"), 0, ("whole " + "h" * 90,))
    teller.proved(
        verify, Command(("prove-local", "--since", "1s"), 5, ("a", "b")), Command(("prove-local",), 0, ("c",))
    )
    checks = (Check("no planted value came to the provider", not leaked),)
    teller.end(
        msgspec.structs.replace(OUTCOME, ok=not leaked, checks=checks, leaked=tuple(each.what for each in leaked))
    )


def test_it_fits_eighty_columns(planted: tuple[Planted, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is told; and in a pipe there is no colour."""
    play(Teller(quiet=False, paced=False), planted)
    told = capsys.readouterr().out

    assert max(map(len, told.splitlines())) <= 80
    assert "\x1b" not in told
    assert "and 3 more lines" in told
    assert "In 1 tool call secrets were left masked" in told
    assert "Ran 3 tests: OK" in told
    assert "0 of 13 planted values arrived" in told
    assert "LEAK" not in told


def test_a_leak_is_loud(planted: tuple[Planted, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """In each turn from then on, in the call, and at the end; nothing says that it went well."""
    key = next(each for each in planted if each.what == "Stripe key")
    play(Teller(quiet=False, paced=False), planted, key)
    told = capsys.readouterr().out

    assert told.count("the provider has received the Stripe key") == 3
    assert "the call holds the Stripe key" in told
    assert "✗ NOT SO: no planted value came to the provider" in told
    assert "✗ LEAKED to the provider: Stripe key" in told
    assert told.count("NOT THE BYTES THAT ARRIVED") == 3
    assert "✓" not in told
    assert key.value not in told


def test_without_a_local_model(planted: tuple[Planted, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """It says so, and what to do."""
    play(Teller(quiet=False, paced=False), planted, local=False)

    assert "`nearloop setup`" in " ".join(capsys.readouterr().out.split())


def test_quiet_says_nothing(planted: tuple[Planted, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """For scripts."""
    play(Teller(quiet=True, paced=True), planted)

    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_no_color(
    planted: tuple[Planted, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    no_color: str,
    coloured: bool,
) -> None:
    """In a terminal there are colours, unless nobody wants them."""
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    play(Teller(quiet=False, paced=False), planted)

    assert ("\x1b[" in capsys.readouterr().out) is coloured


def test_words_of_the_model_steer_no_terminal(planted: tuple[Planted, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """A control character in an answer is shown as its number."""
    teller = Teller(quiet=False, paced=False)
    teller.asked(msgspec.structs.replace(sent(), turn=msgspec.structs.replace(TURN, words="\x1b]0;title\x07")))

    assert "\\x1b]0;title\\x07" in capsys.readouterr().out


def test_the_picture_shows_what_is_told() -> None:
    """docs/pictures/demo.svg is of these acts (else `tests/bench/demo_picture.py` makes it anew), loads nothing, is small, and
    stands still for who wants no motion.
    """
    text = (ROOT / "docs" / "pictures" / "demo.svg").read_text(encoding="utf-8")
    words = "\n".join("".join(element.itertext()) for element in fromstring(text).iter())

    assert all(act in words for act in ACTS)
    assert "BLOCKED" in words
    assert "0 of 13 planted values arrived" in words
    assert len(text.encode()) < 500_000
    assert text.count("http://") == text.count('xmlns="http://www.w3.org/2000/svg"')
    assert "url(" not in text
    assert re.search(r"@media\(prefers-reduced-motion:no-preference\)\{#lines\{animation:", text)
