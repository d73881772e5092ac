"""Keyword rules."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.settings import Keywords, Signals
from daemon.signals.base import Observation
from daemon.signals.keyword import KeywordRules
from providers.contract import Message, Request, Text
from providers.texts import fields


def look(text: str, rule: Keywords, *before: Message) -> list[Observation]:
    messages = (*before, Message("user", (Text(text),)))
    asked = Request(id="0" * 16, model="auto", protocol="t", messages=messages)
    return KeywordRules(Signals(keywords={"rule": rule})).look(asked, fields(asked))


def found(text: str, *keywords: str, **more: object) -> list[str]:
    return [
        text[span.start : span.end]
        for seen in look(text, Keywords(keywords, **more))
        for span in seen.spans  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("C++", "how do I sort in C++?"),
        ("C++", "C++"),
        (".NET", "ASP.NET or plain .NET"),
        ("C#", "in C#, please"),
        ("café", "a café nearby"),
        ("café", unicodedata.normalize("NFD", "a café nearby")),
        ("안녕하세요", "안녕하세요, 반갑습니다"),
        ("파이썬", "파이썬을 배우고 싶어요"),
        ("こんにちは", "皆さんこんにちは。"),
        ("合同", "请检查这份合同的条款"),
        ("สวัสดี", "สวัสดีครับ"),
        ("привет", "Привет, мир"),
        ("Python", "Python을 배우다"),
        ("two words", "here are two words."),
        ("straße", "die STRAßE"),
    ],
)
def test_a_keyword_of_any_script_matches_as_a_whole(keyword: str, text: str) -> None:
    """Signs and scripts without spaces don't hide a keyword."""
    assert found(text, keyword)


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("java", "javascript"),
        ("java", "my_java"),
        ("cafe", "a café"),
        ("cafe", unicodedata.normalize("NFD", "a café")),
        ("caf", "café"),
        ("C++", "AC++"),
        ("рука", "наука"),
        ("art", "start part artful"),
    ],
)
def test_a_part_of_a_word_does_not_match(keyword: str, text: str) -> None:
    """Where words are spaced, a keyword is a whole word."""
    assert not found(text, keyword)


@pytest.mark.parametrize(
    ("operator", "text", "score"),
    [
        ("OR", "red", 0.5 + 0.5 / 2),
        ("OR", "red blue", 1.0),
        ("OR", "green", None),
        ("AND", "red blue", 1.0),
        ("AND", "red", None),
        ("NOR", "green", 0.5),
        ("NOR", "red", None),
    ],
)
def test_operators_and_their_scores(operator: str, text: str, score: float | None) -> None:
    """The score is upstream's: 0.5 + 0.5 · matched / all."""
    seen = look(text, Keywords(("red", "blue"), operator=operator))  # type: ignore[arg-type]

    assert [observation.score for observation in seen] == ([] if score is None else [score])


def test_case_matters_only_if_asked_for() -> None:
    """A rule says whether it minds."""
    assert found("An URGENT thing", "urgent") == ["URGENT"]
    assert not found("An URGENT thing", "urgent", case_sensitive=True)


def test_spans_are_exact_behind_letters_that_grow_in_lower_case() -> None:
    """A place is a place in the text as it was written."""
    assert found("İİ Urgent", "urgent") == ["Urgent"]


def test_only_the_last_words_of_the_user_are_looked_at() -> None:
    """A system prompt that names everything does not set off every rule."""
    assert not look(
        "hello", Keywords(("urgent",)), Message("system", (Text("urgent"),)), Message("user", (Text("urgent"),))
    )


@given(st.text(), st.text(min_size=1), st.booleans())
def test_spans_lie_in_their_text(text: str, keyword: str, case_sensitive: bool) -> None:
    """Any keyword and any text go together without an error."""
    for seen in look(text, Keywords((keyword,), case_sensitive=case_sensitive)):
        assert all(0 <= span.start < span.end <= len(text) for span in seen.spans)
