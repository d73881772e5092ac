"""What the signals see, as classes and digests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import NoReturn

import pytest

from daemon.auditing.finds import Find, Finder
from daemon.errors import ModelMissing
from daemon.settings import Dictionary
from daemon.signals.forward import Forward
from daemon.signals.opening import Unread
from tests.fakes.asking import without_models
from tests.fakes.signal_parts import with_models

SECRET = "DB_PASSWORD=hunter2Correct77horse"
MAIL = "maria.keller@acme-gmbh.de"
CARD = "4111 1111 1111 1111"


@pytest.fixture
def finder() -> Finder:
    return Finder()


def _labels(found: frozenset[Find]) -> list[tuple[str, str]]:
    return sorted((find.signal, find.label) for find in found)


def test_classes(finder: Finder) -> None:
    """Secrets and personal data, each value once, whichever text it stands in."""
    found = finder.look((f"{SECRET}\n{MAIL}", f"again {MAIL}", "nothing here"))

    assert _labels(found) == [("pii", "EMAIL_ADDRESS"), ("secret", "PASSWORD")]
    assert finder.look(()) == finder.look(("nothing here",)) == frozenset()


def test_one_value_in_several_spellings(finder: Finder) -> None:
    """A card is the same with and without blanks, a mail address in any case; a password differs by every letter."""
    assert finder.look((f"card {CARD}",)) == finder.look((f"card {CARD.replace(' ', '')}",))
    assert finder.look((MAIL,)) == finder.look((MAIL.upper(),))
    assert finder.look((SECRET,)) != finder.look((SECRET.replace("hunter", "Hunter"),))


def test_digests_are_keyed(finder: Finder) -> None:
    """Another process has other digests for the same value, so nobody can try values out."""
    assert finder.look((MAIL,)) != Finder().look((MAIL,))


def test_a_find_holds_no_value(finder: Finder) -> None:
    """Neither it nor the finder's own picture of itself tells a part of what was found."""
    for found in finder.look((f"{SECRET} {MAIL} card {CARD}",)):
        for part in ("hunter2", "Correct77", "maria", "keller", "acme", "4111"):
            assert part not in repr(found)


def test_examples_are_not_finds(finder: Finder) -> None:
    """What the boundary lets pass isn't found: reserved domains, loopback addresses, versions, digests."""
    harmless = "mail jane@example.com at 127.0.0.1, version 1.2.3.4, d41d8cd98f00b204e9800998ecf8427e, API_KEY=YOUR_API_KEY_HERE"

    assert finder.look((harmless,)) == frozenset()


def test_the_users_own_words() -> None:
    """Words of the user's dictionary are found, and values that it calls harmless are not."""
    finder = Finder(dictionary=Dictionary(terms=("falcon ledger",), harmless=(MAIL.upper(),)))

    assert len(finder.look((f"open falcon_ledger and mail {MAIL}",))) == 1
    assert not Finder().look(("open falcon_ledger",))


def test_odd_texts(finder: Finder) -> None:
    """Lone surrogates, zeros and long runs raise nothing."""
    finder.look(("\ud800 a@b.\udfff", "\0" * 1000, "@" * 10_000, f"key\0{MAIL}"))

    assert finder.unread == 0


def test_the_trained_heads() -> None:
    """Deep, persons are found in what a user said, and words that ask for code are told from others."""
    finder = Finder(deep=True, heads=with_models().heads)

    assert ("pii", "PERSON") in _labels(finder.look(("I met alice yesterday",), by_user=True))
    assert finder.look(("I met alice yesterday",)) == frozenset()
    assert isinstance(finder.demanding("write code"), bool)


def test_without_the_heads() -> None:
    """Who asks for them where there are none is told what to do."""
    heads = without_models().heads

    with pytest.raises(ModelMissing, match="install Nearloop"):
        Finder(deep=True, heads=heads)
    assert Finder(heads=heads).look((MAIL,))


def test_a_text_that_could_not_be_read() -> None:
    """What the heads can't read is counted, and what rules find in it is told."""

    class _Broken(Forward):
        def in_english(self, text: str, go_on: Callable[[], bool]) -> NoReturn:
            raise Unread("Broken")

    whole = with_models().heads
    broken = _Broken(lambda: whole._opening.model())
    finder = Finder(deep=True, heads=broken)

    assert _labels(finder.look((f"{SECRET} {MAIL}",), by_user=True)) == [
        ("pii", "EMAIL_ADDRESS"),
        ("secret", "PASSWORD"),
    ]
    assert finder.unread == 1


def test_nothing_heavy_is_loaded() -> None:
    """Looking by rules loads neither OpenVINO nor numpy, no tokenizer and no HTTP client."""
    code = (
        "import sys; from daemon.auditing.finds import Finder; from daemon.auditing.registry import FORMATS;"
        f"assert Finder().look(({MAIL!r},));"
        "print([name for name in ('openvino', 'numpy', 'tokenizers', 'aiohttp', 'httpx', 'litestar') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
