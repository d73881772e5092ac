"""Which answers say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.decision.rules import Candidate
from daemon.loopers.agreement import canonical, forms, marked, number, sides
from daemon.loopers.base import Errand
from daemon.loopers.gathering import Answer
from providers.contract import Text, ToolCall


def answer(text: str = "", *calls: ToolCall) -> Answer:
    return Answer(Candidate("local", "m"), Errand("panel-0", "panel"), (Text(text), *calls), "stop")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Paris.", "paris"),
        ("**Paris**", "“Paris”"),
        ("1,000", "1000.0"),
        ("So it is that.\nANSWER: B", "B"),
        ("Final answer: (b) because it is so", "b"),
        ("She sells 9 eggs.\n#### 18", "The result is \\boxed{18}"),
        ("She makes $18.\nA: 18", "#### $18"),
        ('{"b": 1, "a": [2]}', '```json\n{"a": [2], "b": 1}\n```'),
        ("최종:\nANSWER: 서울", "서울"),
    ],
)
def test_the_same_said_differently(one: str, other: str) -> None:
    """Case, marks, signs, order of members and ways of writing numbers don't make another answer."""
    assert canonical(answer(one)) == canonical(answer(other)) is not None


@pytest.mark.parametrize(
    ("one", "other"), [("Paris", "London"), ("18", "-18"), ("ANSWER: B", "ANSWER: D"), ('{"a": 1}', '{"a": 2}')]
)
def test_other_answers(one: str, other: str) -> None:
    """What differs in what it says has another form."""
    assert canonical(answer(one)) != canonical(answer(other))


def test_calls_are_compared_as_calls() -> None:
    """Arguments in another order are the same call; another tool is another one."""
    one = answer("", ToolCall("1", "look", '{"a": 1, "b": 2}'))
    same = answer("I look.", ToolCall("2", "look", '{"b":2,"a":1}'))
    other = answer("", ToolCall("1", "peek", '{"a": 1, "b": 2}'))

    assert canonical(one) == canonical(same) != canonical(other)


def test_prose_has_no_form() -> None:
    """Long words can't be compared, unless they mark what they come to; the last mark counts."""
    prose = "Rivers carve valleys over long stretches of time, and ice does it too."

    assert canonical(answer(prose)) is None
    assert marked(f"ANSWER: A\nNo, wait.\n{prose}\nANSWER: C") == "C"


def test_numbers_in_prose_count_where_others_mark_theirs() -> None:
    """Half of them mark a number: then the rest's last one is theirs. Without marks a year in prose is no vote."""
    prose = "She uses seven of them, keeps 9, and so she makes 9 * $2 = $18 every day at the market."

    assert forms([answer("#### 18"), answer(prose)]) == ["18", "18"]
    assert forms([answer(prose), answer(prose)]) == [None, None]


def test_votes_are_weighed() -> None:
    """Side A has the most weight behind it; who can't be compared has no side and its own weight."""
    prose = answer("A long answer that nobody can compare with the others at all, sadly.")
    names, shares = sides([answer("one"), answer("two"), answer("one"), prose], [1.0, 3.0, 1.0, 1.0])

    assert names == ["B", "A", "B", None]
    assert shares == [2 / 6, 3 / 6, 2 / 6, 1 / 6]


@given(st.integers(-(10**9), 10**9))
def test_a_whole_number_is_itself(value: int) -> None:
    """With marks of thousands or a decimal point it is still the same."""
    assert number(f"{value:,}") == number(f"{value}.00") == str(value)
