"""The picture to be shown around."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from xml.etree import ElementTree

from daemon.auditing.card import HEIGHT, WIDTH, card
from daemon.auditing.report import ClassCount, ProjectCount, Report, Skipped, ToolCount
from daemon.auditing.staying import Device

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 30, 12, tzinfo=UTC)


def _report(rows: int = 3, **more: object) -> Report:
    found = tuple(
        ClassCount("secret" if place % 2 else "pii", f"CLASS_{place}", 10 * (place + 1), 50, {"codex": 1}, AT, LATER)
        for place in range(rows)
    )
    tools = (ToolCount("codex", "Codex", 3, 400, 100, 9000, 0, 700, 10**9, 10**6, 8000, 123.456, 20, 40),)
    told = {
        "complete": True,
        "deep": False,
        "first": AT,
        "last": LATER,
        "classes": found,
        "tools": tools,
        "projects": (ProjectCount("/home/canary/secret-project", 1, 1),),
        "skipped": Skipped(),
        "device": Device(),
        "prices_as_of": "2026-11-30",
    }
    return Report(**{**told, **more})  # type: ignore[arg-type]


def _texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_what_it_shows() -> None:
    """Counts, the share, the money, classes, tools and the time between the first and the last."""
    texts = _texts(card(_report()))

    for told in ("20", "40", "25 %", "$123.46", "Class 2", "Codex", "9,000 requests, 1 Mar 2026 – 30 Nov 2026"):
        assert told in texts


def test_what_it_never_shows() -> None:
    """No project, no path, nothing that loads anything, no script."""
    svg = card(_report())

    assert "canary" not in svg
    assert "secret-project" not in svg
    assert not re.search(r"href|<script|<image|url\(|@import|<style|<foreignObject", svg)
    assert set(re.findall(r"https?://[^\"' ]+", svg)) == {"http://www.w3.org/2000/svg"}


def test_it_stays_inside_its_frame() -> None:
    """However many classes and however large the numbers: no box and no text begins outside."""
    svg = card(_report(rows=40, tools=tuple(ToolCount(f"t{n}", f"Tool {n}", 1) for n in range(12))))

    for node in ElementTree.fromstring(svg):
        x, y = float(node.get("x", 0)), float(node.get("y", 0))
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT
        assert x + float(node.get("width", 0)) <= WIDTH
    assert len([text for text in _texts(svg) if text.startswith("Class ")]) == 6


def test_secrets_have_rows_of_their_own() -> None:
    """Many personal values don't crowd out few secrets, and neither kind leaves rows empty that the other one could fill."""
    many = [("pii", 1000 + n) for n in range(9)] + [("secret", n) for n in range(1, 9)]

    def shown(*found: tuple[str, int]) -> list[str]:
        classes = tuple(ClassCount(kind, f"{kind}_{count}", count, 1, {}) for kind, count in found)
        return [text for text in _texts(card(_report(classes=classes))) if text.startswith(("Pii", "Secret"))]

    assert shown(*many) == ["Secret 8", "Secret 7", "Secret 6", "Pii 1008", "Pii 1007", "Pii 1006"]
    assert len(shown(*many[:9])) == len(shown(*many[9:])) == 6
    assert shown(*many[8:10]) == ["Secret 1", "Pii 1008"]


def test_nothing_found() -> None:
    """It says so, and what it doesn't know."""
    texts = _texts(card(_report(rows=0, tools=(), first=None, last=None, complete=False)))

    assert "Nothing was found in what the logs hold." in texts
    assert "unknown" in texts
    assert "–" in texts
    assert any("Interrupted" in text for text in texts)
