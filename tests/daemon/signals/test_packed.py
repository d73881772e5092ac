"""Texts packed within a text."""

from __future__ import annotations

from base64 import b64encode, encodebytes, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.packed import Unpacked, unpacked
from daemon.signals.pii import Pii
from tests.fakes.growth import grows_with_length_alone

FIND = Unpacked(Pii()).find
SAID = "please write to mara.lind@nordhof.com about it, and soon: the others wait for her since Monday morning"


def found(text: str) -> list[tuple[str, str]]:
    return [(hit.label, text[hit.start : hit.end]) for hit in FIND(text)]


@pytest.mark.parametrize(
    "packed",
    [
        b64encode(SAID.encode()).decode(),
        b64encode(SAID.encode()).decode().rstrip("="),
        urlsafe_b64encode(SAID.encode()).decode(),
        encodebytes(SAID.encode()).decode().strip(),
        SAID.encode().hex(),
        SAID.encode().hex().upper(),
        b64encode(b"mara.lind@nordhof.com").decode(),
    ],
)
def test_what_is_packed_is_found(packed: str) -> None:
    """As base64 with and without padding, in lines, for URLs, and as hex: the whole run is the find."""
    assert found(f"data: {packed} end") == [("EMAIL_ADDRESS", packed)]
    assert found(f'{{"data": "{packed}"}}') == [("EMAIL_ADDRESS", packed)]


@pytest.mark.parametrize(
    "text",
    [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "def get_user_by_account_identifier_and_name():",
        b64encode(b"nothing private stands in here at all").decode(),
        b64encode(bytes(range(256))).decode(),
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    ],
)
def test_other_runs_are_left_alone(text: str) -> None:
    """Digests, names, packed harmless words and packed files."""
    assert found(text) == []


def test_lines_of_their_own_are_looked_at_one_by_one() -> None:
    """Where several runs stand below each other and are not one."""
    packed = b64encode(SAID.encode()).decode()
    text = f"{'a' * 33}\n{packed}"

    assert [inside for _, _, inside in unpacked(text) if "mara" in inside] == [SAID]


@given(st.text(max_size=200))
def test_any_text_that_is_packed_is_read(text: str) -> None:
    """What unpacks is what was packed, or it is not readable."""
    packed = b64encode(text.encode("utf-8", "replace")).decode()
    for start, end, inside in unpacked(packed):
        assert packed[start:end].rstrip("=") in packed
        assert inside


@pytest.mark.parametrize("unit", ["QUJD", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0\n", "61", "a\n", "-"])
def test_time_grows_with_length_alone(unit: str) -> None:
    """No run is unpacked more than twice."""
    assert grows_with_length_alone(FIND, unit)
