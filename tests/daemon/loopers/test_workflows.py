"""Plans of several steps, with tools in between."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daemon.errors import BudgetSpent
from daemon.loopers.flow_state import unpacked
from daemon.recipes.algorithms import Algorithm, Final, Planner, Workflows, WorkRole
from daemon.recipes.contracts import contract_of
from providers.contract import BadAnswer, ToolCall, Unreachable
from tests.fakes.panel import Panel, decision, response, text

THINK = WorkRole(name="think", models=("a",), prompt="Think first.")
WORK = WorkRole(name="work", models=("b",), prompt="Then work.", access_list=("think",))


def static(*roles: WorkRole, **options: Any) -> Algorithm:
    return Algorithm(type="workflows", workflows=Workflows(mode="static", roles=roles, **options))


def dynamic(**options: Any) -> Algorithm:
    return Algorithm(type="workflows", workflows=Workflows(mode="dynamic", **options))


def plan(*steps: dict[str, Any], final: str = "") -> str:
    whole = [
        {"id": f"s{n}", "role": "worker", "models": ["a"], "prompt": "", "access_list": [], **step}
        for n, step in enumerate(steps, 1)
    ]
    return json.dumps({"steps": whole, "final": final})


async def test_roles_one_behind_the_other() -> None:
    """Who sees a role's result waits for it, and the last writer sees all of them, as data."""
    ask = Panel({"a": "An idea.", "b": "The work.", "a synthesis": "Written."})

    assert await text(ask, decision(static(THINK, WORK), "ab")) == "Written."
    (first, one), (second, two) = ask.asked_as("step")
    assert (first, second) == ("a", "b")
    assert "Think first." in one.words
    assert "An idea." in two.words
    [(_, last)] = ask.asked_as("synthesis")
    assert "An idea." in last.words
    assert "The work." in last.words
    assert not last.tools


async def test_roles_that_see_nothing_run_side_by_side() -> None:
    """As many calls at a time as `max_parallel` says, two if it says nothing."""
    roles = [WorkRole(name=f"r{n}", models=("a", "b")) for n in range(2)]
    two, four = Panel({"a": "x", "b": "y"}), Panel({"a": "x", "b": "y"})

    await text(two, decision(static(*roles), "ab"))
    await text(four, decision(static(*roles, max_parallel=4), "ab"))

    assert (two.most, four.most) == (2, 4)


async def test_a_planner_plans() -> None:
    """Its plan is done, by its own models and prompts."""
    said = plan({"prompt": "Look."}, {"models": ["b"], "prompt": "Check.", "access_list": ["s1"]}, final="Be brief.")
    ask = Panel({"a": "Seen.", "b": "Right.", "b planner": said, "a synthesis": "Done."})

    assert await text(ask, decision(dynamic(planner=Planner(model="b", max_completion_tokens=99)), "ab")) == "Done."
    [(planner, errand)] = ask.asked_as("planner")
    assert (planner, errand.max_tokens, errand.own) == ("b", 99, True)
    assert [model for model, _ in ask.asked_as("step")] == ["a", "b"]
    assert "Be brief." in ask.asked_as("synthesis")[0][1].words


@pytest.mark.parametrize(
    "said", ["Let us think.", plan(*[{}] * 4), plan({"models": ["gpt-9"]}), plan({}) + plan({}, {})]
)
async def test_a_plan_that_is_none(said: str) -> None:
    """One step is made of it, or it is an end, as the recipe says."""
    ask = Panel({"a": "Worked.", "a planner": said, "a synthesis": "Done."})

    assert await text(ask, decision(dynamic(), "ab")) == "Done."
    assert ask.notes == ["plan-unreadable"]
    assert len(ask.asked_as("step")) == 1
    with pytest.raises(BadAnswer, match="planner"):
        await text(Panel({"a": said}), decision(dynamic(on_error="fail"), "ab"))


async def test_a_tool_pauses_the_work_and_its_result_goes_on() -> None:
    """The call goes out with an id that leads back; the next request goes on at that step, and no step is done twice."""
    ask = Panel({"a": "An idea.", "b": [ToolCall("x", "look", '{"at": 1}'), "The work."], "a synthesis": "Written."})
    before = await response(ask, decision(static(THINK, WORK), "ab"))

    [call] = before.choices[0].parts
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments, before.choices[0].reason) == ("look", '{"at": 1}', "tool_calls")
    [key] = ask.kept
    assert call.id == f"flow_{key}_0"
    assert ask.notes == ["flow-paused"]

    assert await text(ask, decision(static(THINK, WORK), "ab", resumes=key)) == "Written."
    assert [model for model, _ in ask.asked_as("step")] == ["a", "b", "b"]
    assert "An idea." in ask.asked_as("step")[2][1].words
    assert ask.kept == {}


async def test_what_others_made_meanwhile_is_kept() -> None:
    """Of a step with two models one calls a tool: the other's result waits with it; other steps that ended are not done again."""
    both = WorkRole(name="both", models=("a", "b"))
    side = WorkRole(name="side", models=("c",))
    ask = Panel({"a": "A's.", "b": [ToolCall("x", "look", "{}"), "B's."], "c": "C's.", "a synthesis": "Done."})
    await response(ask, decision(static(both, side, max_parallel=3), "abc"))
    [key] = ask.kept

    await text(ask, decision(static(both, side, max_parallel=3), "abc", resumes=key))

    assert [model for model, _ in ask.asked_as("step")] == ["a", "b", "c", "b"]
    words = ask.asked_as("synthesis")[0][1].words
    assert all(each in words for each in ("A's.", "B's.", "C's."))


async def test_two_steps_call_at_once() -> None:
    """One call goes out; the other step is asked again when the work goes on, and pauses it in its turn."""
    one, two = WorkRole(name="one", models=("a",)), WorkRole(name="two", models=("b",))
    ask = Panel(
        {
            "a": [ToolCall("x", "look", "{}"), "A's."],
            "b": [ToolCall("y", "see", "{}"), ToolCall("z", "see", "{}"), "B's."],
            "a synthesis": "Done.",
        }
    )
    names = []
    key = None
    for _ in range(2):
        answer = await response(ask, decision(static(one, two), "ab", resumes=key))
        names += [part.name for part in answer.choices[0].parts if isinstance(part, ToolCall)]
        [key] = ask.kept

    assert names == ["look", "see"]
    state = unpacked(ask.kept[key])
    assert state
    assert state.pauses == 2
    assert await text(ask, decision(static(one, two), "ab", resumes=key)) == "Done."


async def test_work_that_is_not_known_any_more() -> None:
    """It begins anew, and says so."""
    ask = Panel({"a": "An idea.", "b": "The work.", "a synthesis": "Written."})

    assert await text(ask, decision(static(THINK, WORK), "ab", resumes="f" * 16)) == "Written."
    assert ask.notes == ["flow-lost"]


async def test_a_step_that_fails() -> None:
    """Those that would have seen it go on without, or it is an end, as the recipe says."""
    ask = Panel({"a": Unreachable("away"), "b": "The work.", "b synthesis": "Written."})
    writing = Final(model="b")

    assert await text(ask, decision(static(THINK, WORK, final=writing), "ab")) == "Written."
    assert ask.notes == ["below-quorum"]
    with pytest.raises(Unreachable):
        await text(Panel({"a": Unreachable("away")}), decision(static(THINK, WORK, on_error="fail"), "ab"))
    with pytest.raises(Unreachable):
        await text(Panel({"a": Unreachable("away"), "b": Unreachable("away")}), decision(static(THINK, WORK), "ab"))


async def test_the_best_so_far() -> None:
    """When the ledger is spent, the results there are make the answer."""
    ask = Panel({"a": ["The longest idea of all.", BudgetSpent("calls")], "b": BudgetSpent("calls")})

    assert await text(ask, decision(static(THINK, WORK), "ab")) == "The longest idea of all."
    assert ask.notes == ["synthesis-failed"]


async def test_a_step_has_its_time() -> None:
    """Who is silent when it is over is ended."""
    ask = Panel({"a": None, "b": "The work.", "b synthesis": "Written."})

    said = await text(ask, decision(static(THINK, WORK, final=Final(model="b"), round_timeout_seconds=1), "ab"))

    assert (said, ask.notes) == ("Written.", ["round-timed-out", "below-quorum"])


async def test_the_majority_for_a_choice() -> None:
    """A writer that says none of the choices gives way to what most results say."""
    roles = [WorkRole(name=f"r{n}", models=("a",)) for n in range(3)]
    contract = contract_of({"type": "choice", "choice_set": ["A", "B"]})
    ask = Panel({"a": ["B", "A", "B"], "a synthesis": "Hard to say.", "a repair": "Still hard."})

    assert await text(ask, decision(static(*roles), "a", contract=contract)) == "B"


async def test_without_a_plan_there_is_one_answer() -> None:
    """No roles, no planner: the first candidate answers as it is."""
    ask = Panel({"a": "Yes."})

    assert await text(ask, decision(Algorithm(type="workflows"), "ab")) == "Yes."
    assert ask.asked == [("a", None)]
