"""Plans: a recipe's, and those of a model, which are read as hostile."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.loopers.flow_plan import Plan, Step, one_step, read_plan, static_plan
from daemon.recipes.algorithms import Final, Workflows, WorkRole

NAMES = ("a", "b")


def step(**more: Any) -> dict[str, Any]:
    return {"id": "s1", "role": "worker", "models": ["a"], "prompt": "Do it.", "access_list": [], **more}


def test_roles_are_steps() -> None:
    """In their order, with the models that can be asked, and what each may see of those before it."""
    roles = (
        WorkRole(name="think", models=("b", "gone"), prompt="Think."),
        WorkRole(name="check", models=("gone",), access_list=("think", "check", "later")),
    )

    assert static_plan(Workflows(roles=roles, final=Final(prompt="Write.")), NAMES) == Plan(
        (Step("think", "think", ("b",), "Think."), Step("check", "check", ("a",), "", ("think",))), "Write."
    )


def test_a_plan_is_read() -> None:
    """All that it may say."""
    said = {"steps": [step(), step(id="s2", models=["a", "b"], access_list=["s1"], role="verifier")], "final": "Write."}

    assert read_plan(said, Workflows(), NAMES) == Plan(
        (Step("s1", "worker", ("a",), "Do it."), Step("s2", "verifier", ("a", "b"), "Do it.", ("s1",))), "Write."
    )
    everything = {"steps": [step(), step(id="s2", access_list="all")]}
    plan = read_plan(everything, Workflows(), NAMES)
    assert plan
    assert plan.steps[1].sees == ("s1",)


@pytest.mark.parametrize(
    "said",
    [
        None,
        {},
        {"steps": []},
        {"steps": [step(id=str(n)) for n in range(4)]},
        {"steps": [step(models=["gpt-9"])]},
        {"steps": [step(models=[])]},
        {"steps": [step(role="root")]},
        {"steps": [step(access_list=["s1"])]},
        {"steps": [step(access_list=["s2"]), step(id="s2")]},
        {"steps": [step(), step()]},
        {"steps": [step(prompt=3)]},
        {"steps": [step(prompt="x" * 5000)]},
        {"steps": [step(id="")]},
        {"steps": ["s1"]},
        {"steps": [step()], "final": 3},
    ],
)
def test_what_a_plan_may_not_say(said: Any) -> None:
    """Other models, too many steps, steps that see what isn't there yet: no plan at all."""
    assert read_plan(said, Workflows(), NAMES) is None


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["s1", "a", "worker", "all"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["steps", "final", "id", "role", "models", "prompt", "access_list"]), inner, max_size=7
        )
    ),
    max_leaves=20,
)


@given(_json)
def test_any_json_is_read(said: Any) -> None:
    """Whatever a planner says, there is a plan of the recipe's models or none."""
    plan = read_plan(said if isinstance(said, dict) else {"steps": said}, Workflows(), NAMES)

    assert plan is None or all(model in NAMES for each in plan.steps for model in each.models)


def test_without_a_plan() -> None:
    """The first candidate works on it."""
    assert one_step(NAMES).steps[0].models == ("a",)
