"""Keyword rules."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.recipes.signals import Keyword, Signals
from daemon.signals.base import Observation
from daemon.signals.keyword import KeywordRules
from providers.contract import Message, Text
from tests.fakes.asking import asked, asking, looked, without_models

CASES = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "e2e" / "keyword_routing_cases.json"
KEYWORDS = r"""
SIGNAL keyword urgent_request { operator: "OR" keywords: ["urgent", "immediate", "asap", "emergency"] }
SIGNAL keyword sensitive_data { operator: "AND" keywords: ["SSN", "credit card"] }
SIGNAL keyword regex_pattern_match { keywords: ["user.name@domain.com", "C:\\Program Files\\"] }
"""


def Keywords(keywords: tuple[str, ...], **more: object) -> Keyword:  # noqa: N802
    return Keyword(name="rule", keywords=keywords, **more)  # type: ignore[arg-type]


def look(text: str, rule: Keyword, *before: Message) -> list[Observation]:
    request = asking(messages=(*before, Message("user", (Text(text),))))
    return KeywordRules(Signals(keywords=(rule,)), without_models()).look(asked(request))


@pytest.mark.parametrize("case", json.loads(CASES.read_text()), ids=lambda case: case["name"])
async def test_upstreams_keyword_cases(case: dict[str, object]) -> None:
    """12 of 12, with upstream's exact confidence: 0.5 + 0.5 · matched / all.

    Upstream's rules are not in its data; their words are those that its cases name, two of them written as what they match.
    """
    seen = await looked(KEYWORDS, str(case["query"]))

    assert [(each.name, each.score) for each in seen] == [(case["expected_category"], case["expected_confidence"])]


@pytest.mark.parametrize(
    "more", [{}, {"method": "regex"}, {"method": "bm25"}, {"method": "ngram"}, {"fuzzy_match": True}]
)
@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000"])
def test_a_blank_keyword_is_none(blank: str, more: dict[str, object]) -> None:
    """It would be in every text. Beside others it doesn't count, and a rule of nothing else never holds."""
    for operator in ("OR", "AND", "NOR"):
        assert look("some words here", Keywords((blank,), operator=operator, **more)) == []
    assert look("some words here", Keywords((blank, "urgent"), **more)) == []
    assert look("quite urgent now", Keywords((blank, "urgent"), operator="AND", **more)) != []
    assert look("some words here", Keywords((blank, "urgent"), operator="NOR", **more)) != []


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


@pytest.mark.parametrize(
    ("keywords", "text", "share"),
    [
        (("code", "function", "debug"), "Please debug these functions", 2 / 3),
        (("machine learning", "gradient"), "what is a machine?", 1 / 2),
        (("refactor",), "refactoring", 1),
        (("the",), "the the the", None),
        (("naïve",), "a naive one", 1),
        (("合同",), "请检查这份合同", 1),
        (("debug",), "nothing of this", None),
    ],
)
def test_bm25_matches_words_by_their_stems(keywords: tuple[str, ...], text: str, share: float | None) -> None:
    """One shared word is enough for a keyword, and stop words are none."""
    seen = look(text, Keywords(keywords, method="bm25"))

    assert [each.score for each in seen] == ([] if share is None else [0.5 + 0.5 * share])


def test_the_scores_of_bm25_are_the_crates() -> None:
    """Of 5 keywords of one word, one that is there once has ln(1 + 4.5/1.5) · 1: ln 4."""
    keywords = ("code", "function", "debug", "algorithm", "refactor")

    assert look("code", Keywords(keywords, method="bm25", bm25_threshold=1.386))
    assert not look("code", Keywords(keywords, method="bm25", bm25_threshold=1.387))
    assert look("code, more code", Keywords(keywords, method="bm25", bm25_threshold=2.77))


@pytest.mark.parametrize(
    ("text", "matches"),
    [("this is urgnt", True), ("an emergancy!", True), ("urgent", True), ("nothing at all", False)],
)
def test_ngrams_forgive_a_wrong_letter(text: str, matches: bool) -> None:
    """Three letters at a time, as upstream's reference configuration asks for."""
    rule = Keywords(("urgent", "immediate", "asap", "emergency"), method="ngram", ngram_threshold=0.4, ngram_arity=3)

    assert bool(look(text, rule)) is matches


def test_likeness_by_ngrams_is_the_crates() -> None:
    """urgent and urgnt share 5 of 10 padded trigrams: (10² - 5²) / 10² = 0.75."""
    assert look("urgnt", Keywords(("urgent",), method="ngram", ngram_threshold=0.75))
    assert not look("urgnt", Keywords(("urgent",), method="ngram", ngram_threshold=0.76))


@pytest.mark.parametrize(
    ("text", "edits", "matches"),
    [
        ("my pasword", None, True),
        ("my paswrd", None, True),
        ("my paswrd", 1, False),
        ("my credti card", None, True),
        ("social securty number", 82, True),
        ("nothing of this kind", 82, False),
        ("PASSWORD", 1, True),
    ],
)
def test_fuzzy_words_are_some_edits_away(text: str, edits: float | None, matches: bool) -> None:
    """Two edits if nothing is said; above ten it is per cent of likeness."""
    rule = Keywords(("social security", "credit card", "password"), fuzzy_match=True, fuzzy_threshold=edits)

    assert bool(look(text, rule)) is matches


def test_method_regex_takes_patterns() -> None:
    """A keyword that is no pattern is looked for as it stands."""
    assert found("order 12-345", r"\d{2}-\d{3}", method="regex") == ["12-345"]
    assert found("in C++ and c", "C++", method="regex") == ["C++"]
    assert found("An ORDER", "order", method="regex") == ["ORDER"]


def test_a_pattern_that_does_not_end_is_given_up() -> None:
    """Its rule says that it could not look; the others did."""
    rules = Signals(
        keywords=(
            Keyword(name="endless", keywords=("(a|aa)+$",), method="regex"),
            Keyword(name="plain", keywords=("b",)),
        )
    )
    endless, plain = KeywordRules(rules, without_models()).look(asked(asking("a" * 60 + "! b")))

    assert (endless.name, endless.error, endless.only) == ("endless", "TimeoutError", True)
    assert (plain.name, plain.error) == ("plain", None)
