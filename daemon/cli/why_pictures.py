"""What was seen in pictures and documents, in words, and files as parts of a question."""

from __future__ import annotations

import mimetypes
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click

from daemon import wire
from daemon.cli.why_codes import UNSEEN
from providers.contract import File, Image

PICTURES: Final = click.option(
    "--picture",
    "pictures",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="A picture or document to go with the text, or by itself; several times for several.",
)


def seen_in(pictures: Iterable[wire.Picture], before: int = 0) -> list[str]:
    """A sentence for each. before: how many there are that the record doesn't tell of."""
    told = [_sentence(number, each) for number, each in enumerate(pictures, 1 + before)]
    return [f"{before} older pictures are in it, too.", *told] if before else told


def neutral_part_of(path: Path) -> Image | File:
    """A file as a request carries it. What it is called decides how; what it is, whoever looks at it finds out."""
    named = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    url = f"data:{named};base64,{b64encode(path.read_bytes()).decode()}"
    return Image(url) if named.startswith("image/") else File(url, path.name)


def part_of(path: Path) -> dict[str, Any]:
    """The same as a chat's message carries it."""
    match neutral_part_of(path):
        case Image(url=url):
            return {"type": "image_url", "image_url": {"url": url}}
        case File(url=url, name=name):
            return {"type": "file", "file": {"filename": name, "file_data": url}}


def _sentence(number: int, seen: wire.Picture) -> str:
    what = f"{'Picture' if seen.part == 'image' else 'File'} {number} ({seen.path})"
    if seen.error is not None:
        return f"{what}: nobody saw what is in it, since {UNSEEN.get(seen.error, seen.error)}."
    facts = [seen.form or "?"]
    if seen.width and seen.height:
        facts.append(f"{seen.width} × {seen.height} pixels")
    if seen.pages > 1:
        facts.append(f"{seen.pages} pages")
    if seen.size_bytes is not None:
        facts.append(f"{seen.size_bytes} bytes")
    if seen.kind is not None and seen.probability is not None:
        facts.append(f"{seen.kind.replace('_', ' ')} by {seen.probability:.0%}")
    if seen.thing is not None and seen.thing_probability is not None:
        facts.append(f"of {seen.thing.replace('_', ' ')} by {seen.thing_probability:.0%}")
    facts.append("1 word" if seen.words == 1 else f"{seen.words} words")
    if seen.findings:
        facts.append("among them " + ", ".join(f"{count} {label}" for label, count in sorted(seen.findings.items())))
    if seen.explicit is not None:
        facts.append(f"nudity {seen.explicit:.0%}")
    after = f"; seen after {seen.took_ms:.0f} ms" if seen.took_ms is not None else ""
    return f"{what}: {', '.join(facts)}{after}."
