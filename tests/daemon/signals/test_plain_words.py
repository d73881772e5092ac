"""What is not plain words is in doubt."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.plain_words import PlainWords
from daemon.signals.shipped import shipped_words

RULE = PlainWords(shipped_words, frozenset({"falcon"}))


def doubts(text: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in RULE.find(text)]


@pytest.mark.parametrize(
    "text",
    [
        "How do bridges carry weight?",
        "Please write a short story about a dog that can't swim, in German.",
        "def add(a, b):\n    return a + b\n",
        "What is the sum of 12 and 30? Explain it step by step.",
        "getUserName returns a string — why?",
        "Could you please always answer in English on Monday?",
        "Ist das richtig?",
    ],
)
def test_everyday_words_are_plain(text: str) -> None:
    """Questions, little programs, names of languages and days."""
    assert doubts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "ask maria keller about it",
        "ask Grace Young about it",
        "I met Brown yesterday",
        "the mail is a@b.co",
        "see intranet.local now",
        "it is 4111111111111111",
        "it is 4 1 1 1 1 1 1",
        "room E-4 please",
        "m a r i a",
        "m@r!a kellеr",  # a Cyrillic е
        "so\u200brry",
        "ｓｏｒｒｙ",
        "%6d%61",
        "&#109;",
        "\\u006d",
        "c2VjcmV0",
        "deadbeef12345678",
        "12 elm street",
        "the password is sunshine",
        "the falcon is late",
        "이름이 무엇입니까",
        "😀",
        "ⓜⓐⓡⓘⓐ",
    ],
)
def test_all_else_is_in_doubt(text: str) -> None:
    """Names in any case, numbers, hosts, packings, escapes, disguises, the user's own words, other scripts."""
    assert doubts(text)


@given(st.binary(min_size=6, max_size=60))
def test_packed_bytes_are_in_doubt(data: bytes) -> None:
    """Whatever is packed, in hex and in base64."""
    assert doubts(data.hex())
    assert doubts(base64.b64encode(data).decode())


@given(st.text(st.characters(), max_size=120))
def test_any_text_is_read(text: str) -> None:
    """Finds lie within the text, in order, none on another."""
    at = 0
    for hit in RULE.find(text):
        assert at <= hit.start < hit.end <= len(text)
        at = hit.end
