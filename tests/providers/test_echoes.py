"""A provider that says our key again: the client hears stars."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from providers.contract import Delta, Finish, Key, Logprob, TextDelta, ThoughtDelta, ToolCallDelta, Usage
from providers.echoes import STARS, Echoes

KEY = "sk-sk-canary-0815"
END = Finish("stop", Usage(1, 1))


def heard(*deltas: Delta, key: str | None = KEY) -> list[Delta]:
    echoes = Echoes(Key(key) if key is not None else None)
    return [told for delta in deltas for told in echoes.without(delta)]


def words(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


@given(
    st.lists(st.sampled_from([KEY, "sk-", "s", "k", " ", "sk-sk-canary-081", KEY[1:], "x"]), max_size=8).map("".join),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_however_it_is_cut(text: str, cuts: list[int]) -> None:
    """The key is taken out of any text cut anywhere, and nothing else of it is changed or lost."""
    ends = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [TextDelta(text[begin:end]) for begin, end in pairwise(ends)]

    told = heard(*pieces, END)

    assert words(told) == text.replace(KEY, STARS)
    assert told[-1] == END


def test_words_are_not_kept_waiting() -> None:
    """What can't begin the key is said at once, as the very delta that came."""
    delta = TextDelta("good morning")
    echoes = Echoes(Key(KEY))

    assert [*echoes.without(delta)] == [delta]
    assert [*echoes.without(TextDelta("two keys"))] == [TextDelta("two key")]
    assert [*echoes.without(TextDelta(" more"))] == [TextDelta("s more")]


def test_each_kind_and_choice_by_itself() -> None:
    """Thoughts and the arguments of calls too; choices that come by turns; a signature stays behind its words."""
    half, rest = KEY[:7], KEY[7:]
    told = heard(
        ThoughtDelta(half), ThoughtDelta(rest + "s"), ThoughtDelta("", "signed"),
        TextDelta(half), TextDelta(half, choice=1), TextDelta(rest), TextDelta(rest, choice=1),
        ToolCallDelta(0, "c1", "look", half), ToolCallDelta(0, arguments=rest), ToolCallDelta(1, "c2", "look", half), END,
    )  # fmt: skip

    assert "".join(each.text for each in told if isinstance(each, ThoughtDelta)) == f"{STARS}s"
    assert [each.signature for each in told if isinstance(each, ThoughtDelta)][-1] == "signed"
    for choice in (0, 1):
        said = "".join(each.text for each in told if isinstance(each, TextDelta) and each.choice == choice)
        assert said == STARS
    calls = [each for each in told if isinstance(each, ToolCallDelta)]
    assert "".join(each.arguments for each in calls if each.index == 0) == STARS
    assert "".join(each.arguments for each in calls if each.index == 1) == half  # it was no key
    assert (calls[0].id, calls[0].name) == ("c1", "look")
    assert told[-1] == END


def test_probabilities_do_not_tell_it() -> None:
    """They name the tokens, so they go with the words."""
    token = Logprob(KEY[:7].encode(), -0.1)
    told = heard(TextDelta(KEY[:7], (token,)), TextDelta(KEY[7:], (token,)), TextDelta(" so", (token,)))

    assert [each.logprobs for each in told if isinstance(each, TextDelta)] == [(), (), (token,)]


def test_without_a_key_nothing_is_looked_for() -> None:
    """Nor with one that is too short to be one."""
    for key in (None, "EMPTY"):
        assert heard(TextDelta("EMPTY"), key=key) == [TextDelta("EMPTY")]
