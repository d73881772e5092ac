"""Rounds of many answers, and one that is made of them."""

from __future__ import annotations

import pytest

from daemon.decision.rules import Candidate
from daemon.errors import BudgetSpent
from daemon.loopers.remom import spread
from daemon.recipes.algorithms import Algorithm, Remom
from daemon.recipes.contracts import contract_of
from providers.contract import BadAnswer, Unreachable
from tests.fakes.panel import Panel, decision, text


def remom(*schedule: int, **options: object) -> Algorithm:
    return Algorithm(type="remom", remom=Remom(breadth_schedule=schedule, **options))  # type: ignore[arg-type]


async def test_rounds_and_a_synthesis() -> None:
    """So many answers a round, each a draw of its own; later rounds and the synthesis see those before, as data."""
    ask = Panel({"a": "one", "b": "two", "a synthesis": "both"})

    assert await text(ask, decision(remom(3, 2), "ab")) == "both"
    panel = ask.asked_as("panel")
    assert [errand.label for _, errand in panel] == ["round-0-0", "round-0-1", "round-0-2", "round-1-0", "round-1-1"]
    assert [model for model, _ in panel] == ["a", "a", "b", "a", "b"]
    assert [errand.draw for _, errand in panel] == [0, 1, 2, 0, 1]
    assert {errand.temperature for _, errand in panel} == {1.0}
    assert panel[0][1].words == ""
    assert panel[3][1].words.count("one") == 2
    assert "reference 3" in panel[3][1].words
    [(writer, errand)] = ask.asked_as("synthesis")
    assert (writer, errand.tools, errand.temperature) == ("a", True, None)
    assert "reference 2" in errand.words
    assert "reference 3" not in errand.words


@pytest.mark.parametrize(
    ("how", "weights", "breadth", "expected"),
    [
        (None, (0.6, 0.1, 0.3), 3, "aac"),
        ("weighted", (1, 1, 1), 4, "aabc"),
        ("weighted", (0, 0, 0), 3, "abc"),
        ("equal", (9, 1, 1), 3, "abc"),
        ("round_robin", (9, 1, 1), 5, "abcab"),
        ("first_only", (1, 1, 1), 3, "aaa"),
    ],
)
def test_whom_a_round_asks(how: object, weights: tuple[float, ...], breadth: int, expected: str) -> None:
    """Each distribution gives as many as the round has."""
    candidates = [Candidate("local", model) for model in "abc"]
    options = Remom(model_distribution=how)  # type: ignore[arg-type]

    asked = "".join(each.model for each in spread(candidates, weights, breadth, options))

    if expected == "abcab":
        assert asked == expected
    else:
        assert sorted(asked) == sorted(expected)


async def test_the_quorum_and_the_time_of_a_round() -> None:
    """Who is silent is ended with the round; too few are an end only if the recipe says so."""
    plays = {"a": "one", "b": None, "a synthesis": "done"}
    ask = Panel(dict(plays))
    options = {"round_timeout_seconds": 1, "min_successful_responses": 1}

    assert await text(ask, decision(remom(2, **options), "ab")) == "done"
    assert ask.notes == ["round-timed-out"]
    skipping = Panel({"a": "one", "b": Unreachable("away"), "a synthesis": "done"})
    assert await text(skipping, decision(remom(2), "ab")) == "done"
    assert skipping.notes == ["below-quorum"]
    failing = Panel({"a": "one", "b": Unreachable("away")})
    with pytest.raises(Unreachable):
        await text(failing, decision(remom(2, on_error="fail"), "ab"))


async def test_the_best_so_far() -> None:
    """When the ledger is spent in the second round, the first one's answers are what the synthesis, or the best, is of."""
    ask = Panel({"a": ["18", "18", "7", BudgetSpent("calls")]})

    assert await text(ask, decision(remom(3, 2), "a")) == "18"
    assert ask.notes == ["below-quorum", "synthesis-failed"]
    with pytest.raises(BadAnswer):
        await text(Panel({"a": BadAnswer("broke")}), decision(remom(3, 2), "a"))


async def test_compaction_and_reasoning() -> None:
    """The last tokens of long answers are passed on, with the reasoning where it is wanted."""
    ask = Panel({"a": "x" * 100 + "END", "a synthesis": "done"}, thoughts="because")
    options = {"compaction_strategy": "last_n_tokens", "compaction_tokens": 5, "include_reasoning": True}

    await text(ask, decision(remom(1, **options), "a"))

    [(_, errand)] = ask.asked_as("synthesis")
    assert "[…] " + "x" * 17 + "END" in errand.words
    assert "x" * 18 not in errand.words
    assert "Reasoning: because" in errand.words


async def test_so_many_are_passed_on() -> None:
    """`max_responses_per_round` bounds what a prompt holds, and the seed says which: the same each time."""
    words = []
    for _ in range(2):
        ask = Panel({"a": ["one", "two", "three"], "a synthesis": "done"})
        await text(ask, decision(remom(3, max_responses_per_round=1), "a"))
        [(_, errand)] = ask.asked_as("synthesis")
        words.append([word for word in ("one\n<<", "two\n<<", "three\n<<") if word in errand.words])

    assert words[0] == words[1]
    assert len(words[0]) == 1


async def test_the_recipe_s_own_prompt() -> None:
    """A text stands before the references, a template has them at its places, and one that can't be filled is ours."""
    seen = []
    for template in (
        "Fuse the strongest findings.",
        "Q={{.OriginalContent}} {{range .ReferenceResponses}}[{{.Model}}|{{.Content}}]{{end}}",
        "{{.Unknown}}",
    ):
        ask = Panel({"a": "four", "a synthesis": "done"})
        await text(ask, decision(remom(1, synthesis_template=template), "a", said="2 + 2?"))
        [(_, errand)] = ask.asked_as("synthesis")
        seen.append(errand.words)

    assert seen[0].startswith("Fuse the strongest findings.")
    assert "four" in seen[0]
    assert seen[1].startswith("Q=2 + 2? [reference 1|")
    assert seen[2].startswith("Above is a question")


async def test_the_writer_of_the_synthesis() -> None:
    """The one that the recipe names, if it is one of its candidates and may be asked; else the first."""
    for name, writer in (("b", "b"), ("z", "a")):
        ask = Panel({"a": "one", "b": "two", "a synthesis": "A wrote", "b synthesis": "B wrote"})
        assert await text(ask, decision(remom(2, synthesis_model=name), "ab")) == f"{writer.upper()} wrote"


async def test_the_user_s_line_is_kept() -> None:
    """A synthesis that forgets `ANSWER: X` gets the line of most references."""
    ask = Panel({"a": ["So.\nANSWER: B", "ANSWER: B", "ANSWER: C"], "a synthesis": "The second, I think."})

    said = await text(ask, decision(remom(3), "a", said="Which of A to D? End with ANSWER: X"))

    assert said == "The second, I think.\n\nANSWER: B"
    assert ask.notes == ["contract-repaired"]


async def test_a_reference_is_chosen() -> None:
    """Upstream's contract: the synthesis says an index, and that reference is the answer, unchanged."""
    contract = contract_of({"type": "reference_selection", "reference": {"id_format": "index"}})
    ask = Panel({"a": ["Words of the first one.", "Other words, of the second."], "a synthesis": "1"})

    said = await text(ask, decision(remom(2), "a", contract=contract))

    [(_, errand)] = ask.asked_as("synthesis")
    assert said in errand.words.split("reference 1>>", 1)[1]
    assert said in ("Words of the first one.", "Other words, of the second.")


async def test_without_a_schedule() -> None:
    """There is nothing to do but to ask the first one."""
    ask = Panel({"a": "one"})

    assert await text(ask, decision(Algorithm(type="remom"), "ab")) == "one"
    assert ask.asked == [("a", None)]
