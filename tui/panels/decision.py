"""The decision as a tree: the recipe, the branch that matched, and who was to be asked."""

from __future__ import annotations

from textual.content import Content

from daemon import wire
from tui.panels.codes import AWAY, LOOPER_NOTES, NOTES, RULES
from tui.panels.writing import said, wrapped
from tui.requests import name_of
from tui.tones import Toned


def lines(record: wire.Record, width: int) -> list[Content]:
    """Root, branch, leaves."""
    decision = record.decision
    if decision is None:
        return [said(Toned("it was refused before that", "muted"))]
    told = _branch(decision, width)
    leaves = [_leaf(name, record) for name in decision.candidates]
    leaves += [said(Toned("⊘ ", "warn"), name, Toned("  not cleared for it", "muted")) for name in decision.left_out]
    leaves += [
        said(Toned("⊘ ", "warn"), name, Toned(f"  {AWAY.get(why, why)}", "muted"))
        for name, why in decision.away.items()
    ]
    leaves += [said(Toned("⊘ ", "warn"), name, Toned("  over a limit", "muted")) for name in decision.over_limit]
    for index, leaf in enumerate(leaves):
        told.append(Content.assemble(("  └─ " if index == len(leaves) - 1 else "  ├─ ", "$muted"), leaf))
    for code in decision.route.notes if decision.route else ():
        told += wrapped(f"· {NOTES.get(code) or RULES.get(code, code)}", width, "  ")
    for code in record.notes:
        told += wrapped(f"· {LOOPER_NOTES.get(code, code)}", width, "  ")
    return told


def _branch(decision: wire.Decision, width: int) -> list[Content]:
    route = decision.route
    if route is None:
        rule = [said(Toned("● ", "accent"), Toned(decision.rule, "strong"), Toned(f"  {decision.looper}", "muted"))]
        return rule + (wrapped(RULES[decision.rule], width, "  ") if decision.rule in RULES else [])
    how = " ".join(filter(None, (route.algorithm, route.method)))
    told = [
        said(Toned("● ", "accent"), "recipe ", Toned(route.recipe, "strong")),
        said(Toned("  └▶ ", "accent"), Toned(route.decision or "its default", "strong"), Toned(f"  {how}", "muted")),
    ]
    if route.plugins:
        told.append(said(Toned(f"     plugins: {', '.join(route.plugins)}", "muted")))
    return told


def _leaf(name: str, record: wire.Record) -> Content:
    """A candidate, and what came of it."""
    tried = [each for each in record.attempts if name_of(each) == name]
    if not tried:
        return said(Toned("○ ", "muted"), name, Toned("  not needed", "muted"))
    last = tried[-1]
    if last.passed is False:
        return said(Toned("✗ ", "warn"), name, Toned("  not sure enough", "warn"))
    if last.outcome != "answered":
        return said(Toned("✗ ", "bad"), name, Toned(f"  {last.outcome}", "bad"))
    return said(Toned("✓ ", "good"), Toned(name, "strong"))
