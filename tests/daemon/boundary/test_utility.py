"""Masked code is code, and what is written against it fits the original."""

from __future__ import annotations

import ast
import difflib
import json
import random
from pathlib import Path

import pytest

from daemon.boundary.clear import Passage, clear
from daemon.boundary.judge import Clearance
from daemon.boundary.restorer import Index, Restorer
from daemon.boundary.vault import Vault
from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Span
from daemon.signals.code_names import NamesInCode
from daemon.signals.parts import Parts
from providers.cleared import Place
from providers.contract import Message, Request, Text
from providers.texts import fields
from tests.fakes.aliases import VALUES

SOURCES = [
    path for path in sorted((Path(__file__).resolve().parents[3] / "daemon").rglob("*.py")) if path.stat().st_size
]
ON_ONE_LINE = [(label, value) for label, value in VALUES if "\n" not in value]
PATH = "messages[0].parts[0]"


def planted(source: str, seeded: random.Random) -> tuple[str, tuple[Span, ...]]:
    """A source with private values between its lines, in strings, comments, numbers' places and names."""
    lines = source.splitlines()
    out: list[str] = []
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines):
        out.append(line)
        top = number + 1 == len(lines) or (lines[number + 1][:1].isalpha() and line == "")
        if top:
            label, text = seeded.choice(ON_ONE_LINE)
            name = text if label == "TERM" and text.isidentifier() else f"value_{number}"
            out += [f"{name} = {text!r}  # {text}", f"assert {name} != f'({text}) {{1}}'"]
            found.append((label, text))
    made = "\n".join(out)
    spans: list[Span] = []
    for label, text in dict.fromkeys(found):
        at = made.find(text)
        while at >= 0:
            spans.append(Span(PATH, at, at + len(text), label))
            at = made.find(text, at + len(text))
    return made, tuple(spans)


def masked(source: str, spans: tuple[Span, ...]) -> tuple[str, Passage]:
    request = Request(id="0" * 16, model="cloud", messages=(Message("user", (Text(source),)),), protocol="test")
    passage = clear(request, Clearance("masked", spans), Place.CLOUD, Vault())
    (message,) = passage.cleared.request.messages
    (part,) = message.parts
    assert isinstance(part, Text)
    return part.text, passage


def back(text: str, passage: Passage) -> str:
    restorer = Restorer(Index(passage.aliases))
    return restorer.feed(text) + restorer.finish()


@pytest.mark.parametrize("number", range(8))
def test_masked_python_parses_and_edits_of_it_fit(number: int) -> None:
    """Of our own sources, with values planted in them: each parses as before, and search-and-replace edits and diffs that are
    written against the masked text apply to the original.
    """
    seeded = random.Random(number)
    for path in seeded.sample(SOURCES, 8):
        source, spans = planted(path.read_text(encoding="utf-8"), seeded)
        text, passage = masked(source, spans)
        assert text != source
        assert not any(source[span.start : span.end] in text for span in spans)

        assert len(list(ast.walk(ast.parse(text)))) == len(list(ast.walk(ast.parse(source))))

        original, lines = source.split("\n"), text.split("\n")
        assert len(original) == len(lines)
        for _ in range(5):
            start = seeded.randrange(len(lines))
            search = "\n".join(lines[start : start + 4])
            assert back(search, passage) == "\n".join(original[start : start + 4])
            edited = [*lines[:start], f"# {lines[start]}", *lines[start:]]
            diff = "\n".join(difflib.unified_diff(lines, edited, lineterm=""))
            wanted = [*original[:start], f"# {original[start]}", *original[start:]]
            assert back(diff, passage) == "\n".join(difflib.unified_diff(original, wanted, lineterm=""))


@pytest.mark.parametrize("number", range(4))
def test_python_with_masked_names_parses_and_edits_of_it_fit(number: int) -> None:
    """Names in code masked: the same tree, none of the names, and edits against it apply to the original."""
    seeded = random.Random(number)
    family = NamesInCode(Signals(), Parts(guard=True, reduce=frozenset({"code"})))
    for path in seeded.sample(SOURCES, 6):
        source = f"```python\n{path.read_text(encoding='utf-8')}\n```"
        asked = Request(id="0" * 16, model="cloud", messages=(Message("user", (Text(source),)),), protocol="test")
        spans = tuple(span for seen in family.look(Asked(asked, fields(asked))) for span in seen.spans)
        text, passage = masked(source, spans)
        inner, written = (each.split("\n", 1)[1].rsplit("\n", 1)[0] for each in (text, source))
        names = {found.id for found in ast.walk(ast.parse(inner)) if isinstance(found, ast.Name)}

        assert len(list(ast.walk(ast.parse(inner)))) == len(list(ast.walk(ast.parse(written))))
        assert not names & {source[span.start : span.end] for span in spans}
        lines, original = text.split("\n"), source.split("\n")
        for _ in range(5):
            start = seeded.randrange(len(lines))
            assert back("\n".join(lines[start : start + 4]), passage) == "\n".join(original[start : start + 4])
            edited = [*lines[:start], f"# {lines[start]}", *lines[start:]]
            diff = "\n".join(difflib.unified_diff(lines, edited, lineterm=""))
            wanted = [*original[:start], f"# {original[start]}", *original[start:]]
            assert back(diff, passage) == "\n".join(difflib.unified_diff(original, wanted, lineterm=""))


def test_masked_json_and_shell_stay_whole() -> None:
    """Aliases need no escaping: JSON in a text parses, and quotes of a shell stay where they are."""
    for label, value in VALUES:
        text = json.dumps({"value": value}, ensure_ascii=False)
        inner = json.dumps(value, ensure_ascii=False)[1:-1]
        start = text.index(inner)
        out, passage = masked(text, (Span(PATH, start, start + len(inner), label),))
        assert list(json.loads(out)) == ["value"]
        assert back(out, passage) == text
