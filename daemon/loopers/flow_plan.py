"""The plan of a workflow: steps, who does each, and whose results each may see.

A static plan is the recipe's roles. A dynamic one is a model's, so it is read as hostile: only the recipe's models, no more
steps than allowed, no step that sees itself or one behind it. A step begins when all that it sees have ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from daemon.recipes.algorithms import Workflows

ROLES: Final = ("thinker", "worker", "verifier")
MAX_STEPS: Final = 3
MAX_PARALLEL: Final = 2
PLANNER_TOKENS: Final = 2048
LONGEST_PROMPT: Final = 4000
_NAME_CHARS: Final = 60


class Step(Struct, frozen=True):
    """models: the recipe's names; each gives an answer of its own. sees: names of steps whose answers it is given."""

    name: str
    role: str
    models: tuple[str, ...]
    prompt: str
    sees: tuple[str, ...] = ()


class Plan(Struct, frozen=True):
    """final: what the last writer is told; who that is, the recipe says."""

    steps: tuple[Step, ...]
    final: str = ""


def static_plan(options: Workflows, names: Sequence[str]) -> Plan:
    """Of the recipe's roles. Models that can't be asked are left out; a role without any is the first candidate's."""
    known = [role.name for role in options.roles]
    steps = tuple(
        Step(
            name=role.name,
            role=role.name,
            models=tuple(model for model in role.models if model in names) or (names[0],),
            prompt=role.prompt or "",
            sees=tuple(each for each in role.access_list if each in known[:place]),
        )
        for place, role in enumerate(options.roles)
    )
    return Plan(steps, (options.final.prompt if options.final else None) or "")


def one_step(names: Sequence[str]) -> Plan:
    """What is done if there is no plan: the first candidate works on the question."""
    return Plan((Step("step-1", "worker", (names[0],), ""),))


def planning(options: Workflows, names: Sequence[str]) -> str:
    """What a planner is asked."""
    steps = options.max_steps or MAX_STEPS
    return (
        "Leave the request above unanswered. Plan how models shall work on it together. Say only a JSON object: "
        '{"steps": [{"id": "s1", "role": "thinker", "models": ["…"], "prompt": "…", "access_list": []}], "final": "…"}. '
        f"At most {steps} steps. Roles: {', '.join(ROLES)}. Models: {', '.join(names)}. A step is given the request, its "
        "prompt, and the results of the steps in its access_list, which stand before it; steps that see nothing of each "
        "other run side by side. `final` tells how the answer shall be written of all results."
    )


def planning_schema(options: Workflows, names: Sequence[str]) -> dict[str, Any]:
    """For planners that can be held to one. Its bounds have small models come to an end; others may say more."""
    step = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "maxLength": 12},
            "role": {"enum": list(ROLES)},
            "models": {"type": "array", "items": {"enum": list(names)}, "minItems": 1, "maxItems": 3},
            "prompt": {"type": "string", "maxLength": 300},
            "access_list": {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 3},
        },
        "required": ["id", "role", "models", "prompt", "access_list"],
    }
    steps = {"type": "array", "items": step, "minItems": 1, "maxItems": options.max_steps or MAX_STEPS}
    return {
        "type": "object",
        "properties": {"steps": steps, "final": {"type": "string", "maxLength": 300}},
        "required": ["steps", "final"],
    }


def read_plan(said: Mapping[str, Any] | None, options: Workflows, names: Sequence[str]) -> Plan | None:
    """A planner's object as a plan; None if any of it is not allowed."""
    rows = said.get("steps") if said is not None else None
    if said is None or not isinstance(rows, list) or not 0 < len(rows) <= (options.max_steps or MAX_STEPS):
        return None
    steps: list[Step] = []
    for row in rows:
        step = _step(row, [each.name for each in steps], names)
        if step is None:
            return None
        steps.append(step)
    final = said.get("final") or ""
    if isinstance(final, dict):
        final = final.get("prompt") or ""
    if not isinstance(final, str) or len(final) > LONGEST_PROMPT:
        return None
    return Plan(tuple(steps), final)


def _step(row: object, earlier: Sequence[str], names: Sequence[str]) -> Step | None:
    if not isinstance(row, dict):
        return None
    name, role, models, prompt = row.get("id"), row.get("role", "worker"), row.get("models"), row.get("prompt")
    sees = row.get("access_list") or []
    if sees == "all" or sees == ["all"]:
        sees = list(earlier)
    if not isinstance(name, str) or not name.strip() or len(name) > _NAME_CHARS or name in earlier:
        return None
    if role not in ROLES or not isinstance(prompt, str) or len(prompt) > LONGEST_PROMPT:
        return None
    if not isinstance(models, list) or not models or any(model not in names for model in models):
        return None
    if not isinstance(sees, list) or any(each not in earlier for each in sees):
        return None
    return Step(name, role, tuple(dict.fromkeys(models)), prompt, tuple(dict.fromkeys(sees)))
