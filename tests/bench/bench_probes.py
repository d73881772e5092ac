"""How many of upstream's probes come to the decision that its authors expect, with our signals.

The probes are those of the recorded recipes that have a configuration beside them; knowledge bases are those of its reference
configuration. The recipes' thresholds were chosen for upstream's models. `signals` counts the rules that a probe says must
match. Nothing here may be tuned on what it prints.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.decision.engine import Engine
from daemon.decision.reach import reached
from daemon.decision.seen import Seen
from daemon.recipes.embedder import embedder_of
from daemon.recipes.files import text_of
from daemon.recipes.loading import load
from daemon.recipes.vocabulary import FAMILIES
from daemon.signals.knowledge import KnowledgeBase, knowledge_bases
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from providers.contract import Message, Part, Request, Role, Text, Tool, ToolCall, ToolResult

CONFIG = Path(__file__).resolve().parents[1] / "recorded" / "vsr" / "config"
OWN_SCALE = "--own-scale" in sys.argv
"""Thresholds of likeness as if they were made for our encoder."""
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}


def request(probe: dict[str, Any]) -> Request:
    """Of a probe's query, repeated as it says, or of its messages."""
    if "messages" in probe:
        messages = tuple(map(message, probe["messages"]))
    else:
        words = " ".join([probe["query"]] * probe.get("repeat", 1))
        messages = (Message("user", (Text(words),)),)
    tools = tuple(
        Tool(each.get("name", "f"), each.get("description", ""), each.get("parameters") or {})
        for each in (tool.get("function", {}) for tool in probe.get("tools", ()))
    )
    extras = {"metadata": probe.get("metadata")}
    return Request(id="0" * 16, model="auto", protocol="bench", messages=messages, tools=tools, extras=extras)


def message(written: dict[str, Any]) -> Message:
    content = written.get("content") or ""
    if isinstance(content, list):
        content = " ".join(part.get("text", "") for part in content)
    role = ROLES.get(written["role"], "system")
    if role == "tool":
        return Message(role, (ToolResult(written.get("tool_call_id", "x"), (Text(content),)),))
    calls: list[Part] = [
        ToolCall(call.get("id", "x"), call["function"]["name"], call["function"].get("arguments", "{}"))
        for call in written.get("tool_calls") or ()
    ]
    return Message(role, (Text(content), *calls))


def probes(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The decision that is expected, and the probe."""
    for decision in yaml.safe_load(file.read_text(encoding="utf-8"))["decisions"]:
        for probe in decision["variants"]:
            if "query" in probe or "messages" in probe:
                yield decision["expected_decision"], probe


async def recipe(file: Path, bases: dict[str, KnowledgeBase]) -> Counter[str]:
    whole = load(text_of(file), "yaml").recipe
    routing = whole.routing
    embedder = None if OWN_SCALE else embedder_of(whole.global_)
    engine, parts = Engine(routing), Parts(bases=bases, embedder=embedder)
    observer = Observer(reached(routing), parts, deadline_s=60)
    counts: Counter[str] = Counter()
    families = {section: family for family, section in FAMILIES.items()}
    began = time.perf_counter()
    for expected, probe in probes(file.parent / "probes.yaml"):
        observations = await observer.observe(request(probe))
        outcome = engine.decide(Seen(observations, observer.looked))
        counts["decisions"] += 1
        counts["right"] += outcome.decision == expected
        counts["doubtful"] += bool(outcome.doubtful)
        matched = {(each.signal, each.name) for each in observations if each.matched and each.error is None}
        for section, names in (probe.get("expected_signals") or {}).items():
            wanted = {(families.get(section, section), name) for name in names if section != "projection"}
            counts["signals"] += len(wanted)
            counts["signals matched"] += len(wanted & matched)
    print(f"{file.parent.name:10} {dict(counts)} in {time.perf_counter() - began:.1f} s")
    observer.close()
    parts.close()
    return counts


async def main() -> None:
    """Print the counts."""
    reference = text_of(CONFIG / "config.yaml").replace(
        "method: fuzzy", "method: regex"
    )  # which upstream refuses itself
    bases = knowledge_bases(load(reference, "yaml").recipe.global_, CONFIG)
    whole: Counter[str] = Counter()
    for file in sorted(CONFIG.glob("recipes/*/config.yaml")):
        if (file.parent / "probes.yaml").is_file():
            whole += await recipe(file, bases)
    print(f"all        {dict(whole)}")


if __name__ == "__main__":
    asyncio.run(main())
