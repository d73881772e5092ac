"""Requests with tools beside them, of which one fits or none does: what the gate over tools is fitted on and tested with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from msgspec import Struct

from edge_models.engines.base import Unavailable
from edge_models.tool_fit import Offered
from edge_models.training.metrics import Array
from edge_models.training.sets.base import lines, strings

SIZES: Final = (1, 1, 1, 1, 2, 2, 3, 4, 6, 10, 20)
"""How many tools are offered: chats bring one or two, agents twenty."""
FOR_EACH: Final = 40
"""Requests of one tool that are taken: some have hundreds, and would be all that is learned."""
ALIKE: Final = 0.45
"""Likeness of two tools from which on either may do the other's work, so that offering it is no offer of nothing."""
NEAREST: Final = 10
"""Half of the offers without a fit are drawn from the tools nearest to the request: hard ones."""

Embed = Callable[[Sequence[str]], Array]


class Offer(Struct, frozen=True):
    """A request and the tools for it. none: whether none of them fits. source: of the row."""

    asked: str
    tools: tuple[Offered, ...]
    none: bool
    source: str = ""


class MetaTool(Struct, frozen=True):
    """What MetaTool has: tools by name, requests with the tools that they are for, and requests for no tool."""

    tools: dict[str, Offered]
    requests: tuple[tuple[str, tuple[str, ...]], ...]


def read_metatool(folder: Path, random: Random) -> MetaTool:
    """Of the set's folder. Raises Unavailable."""
    tools = {}
    for raw in lines(folder / "tools.jsonl"):
        name, description = strings(raw, "tool", "description")
        tools[name] = Offered(name, description)
    by_tool: dict[str, list[str]] = {name: [] for name in tools}
    for raw in lines(folder / "queries.jsonl"):
        text, name = strings(raw, "text", "label")
        if name in by_tool:
            by_tool[name].append(text)
    requests: list[tuple[str, tuple[str, ...]]] = []
    for name, texts in by_tool.items():
        drawn = random.sample(sorted(set(texts)), min(FOR_EACH, len(set(texts))))
        requests += [(text, (name,)) for text in drawn]
    for raw in lines(folder / "multi_tool.jsonl"):
        names = tuple(name for name in raw.get("labels") or () if name in tools)
        if names:
            requests.append((str(raw.get("text")), names))
    requests += [(str(raw["text"]), ()) for raw in lines(folder / "awareness.jsonl") if raw.get("label") == 0]
    return MetaTool(tools, tuple(requests))


def divided(known: MetaTool, share: float, random: Random) -> tuple[MetaTool, MetaTool]:
    """By tools: to fit on, and held out. A request goes where all of its tools are; those for none by chance."""
    names = sorted(known.tools)
    held = frozenset(random.sample(names, round(share * len(names))))
    parts: tuple[list[tuple[str, tuple[str, ...]]], list[tuple[str, tuple[str, ...]]]] = ([], [])
    for text, golds in known.requests:
        inside = sum(name in held for name in golds)
        if golds and 0 < inside < len(golds):
            continue
        out = inside > 0 if golds else random.random() < share
        parts[out].append((text, golds))
    tools = [{name: tool for name, tool in known.tools.items() if (name in held) is out} for out in (False, True)]
    return MetaTool(tools[0], tuple(parts[0])), MetaTool(tools[1], tuple(parts[1]))


def offers(known: MetaTool, embed: Embed, random: Random) -> Iterator[Offer]:
    """Each request once with tools that don't fit, and if it is for one, once with that one among them."""
    names = sorted(known.tools)
    places = {name: place for place, name in enumerate(names)}
    there = embed([known.tools[name].said for name in names])
    alike = there @ there.T
    asked = embed([text for text, _ in known.requests]) @ there.T
    for (text, golds), likeness in zip(known.requests, asked, strict=True):
        clear = np.ones(len(names), bool)
        for gold in golds:
            clear &= alike[places[gold]] < ALIKE
        others = [names[place] for place in np.argsort(-likeness) if clear[place]]
        if not others:
            continue
        for fits in (False, True) if golds else (False,):
            count = random.choice(SIZES) - fits
            pool = others[: max(NEAREST, count)] if random.random() < 0.5 else others
            drawn = random.sample(pool, min(count, len(pool)))
            offered = [*golds[:1], *drawn] if fits else drawn
            yield Offer(text, tuple(known.tools[name] for name in offered), not fits, "metatool")


def read_offers(folder: Path) -> Iterator[Offer]:
    """Of files with the columns text, functions and label (1: one of them fits), as the copy of BFCL has them. Raises
    Unavailable.
    """
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise Unavailable(f"{folder} has no .jsonl file")
    for file in files:
        for raw in lines(file):
            tools = tuple(
                Offered(
                    str(each["name"]), str(each.get("description") or ""), tuple(map(str, each.get("parameters") or ()))
                )
                for each in raw.get("functions") or ()
            )
            if tools:
                yield Offer(str(raw["text"]), tools, not raw["label"], file.stem)
