"""Draws docs/pictures/demo.svg: `nearloop demo` as it ran in a terminal, line by line at its own pace, as a picture that moves.

    uv run python tests/bench/demo_picture.py             run it, and draw
    uv run python tests/bench/demo_picture.py --look DIR  and show in DIR, as a browser has it, how it looks at several times

The picture is text and a style sheet: one animation scrolls, one uncovers. Who wants no motion sees the last screen. Where the
machine took longer than MOST_WAIT_S for something, the picture doesn't: it shows what comes, and is no benchmark.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import struct
import sys
import tempfile
import termios
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from msgspec import Struct  # noqa: E402
from rich.ansi import AnsiDecoder  # noqa: E402
from rich.console import Console  # noqa: E402

from tests.fakes.screen_svg import FONT, HIGH, WIDE, line_svg  # noqa: E402

PICTURE: Final = ROOT / "docs" / "pictures" / "demo.svg"
COLUMNS: Final = 80
ROWS: Final = 27
MARGIN: Final = 12
MOST_WAIT_S: Final = 2.5
REST_S: Final = 6.0
"""How long the last screen stays before it begins anew."""
GROUND: Final = "#14171c"
MOST_BYTES: Final = 500_000
_LIKE_KEYS: Final = re.compile(r"(?<=sk_)live(?=_)|(?<=sk-)proj(?=-)|(?<=KEY)=(?=\w)|(?<=:)//(?=billing)")
"""Where a made-up key's text is parted, unseen, so that scanners of repositories take it for none."""
LOOKS: Final = (0.08, 0.25, 0.42, 0.6, 0.78, 0.97)
"""Shares of its time at which one looks."""


class Line(Struct, frozen=True):
    """What came on the terminal by when: seconds from the start. text: with its colours."""

    at_s: float
    text: str


def recorded(command: list[str]) -> list[Line]:
    """The lines of a command that runs in a terminal of its own. Raises RuntimeError if it fails."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)}
        os.environ.pop("NO_COLOR", None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    lines: list[Line] = []
    rest, began = b"", None
    while True:
        try:
            came = os.read(terminal, 65536)
        except OSError:  # as Linux tells the end
            break
        if not came:
            break
        began = began or time.monotonic()
        *whole, rest = (rest + came).split(b"\n")
        lines += [Line(time.monotonic() - began, each.decode().rstrip("\r")) for each in whole]
    os.close(terminal)
    if status := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise RuntimeError(f"{' '.join(command)} ended with {status}:\n" + "\n".join(line.text for line in lines))
    return lines


def drawn(lines: list[Line]) -> str:
    """The picture."""
    lines = _shortened(lines)
    took_s = lines[-1].at_s + REST_S
    console = Console(width=COLUMNS, color_system="truecolor", force_terminal=True, legacy_windows=False)
    decoder = AnsiDecoder()
    looks: dict[str, str] = {}
    rows = []
    for y, line in enumerate(lines):
        segments = list(decoder.decode_line(line.text).render(console, end=""))
        rows.append(line_svg(segments, y, looks, GROUND))
    scrolls, covers = _frames(lines, took_s)
    last = max(0, len(lines) - ROWS) * HIGH
    width, height = COLUMNS * WIDE + 2 * MARGIN, ROWS * HIGH + 2 * MARGIN
    inner = f'x="{MARGIN}" y="{MARGIN}" width="{COLUMNS * WIDE}" height="{ROWS * HIGH}"'
    look = "".join(f".{name}{{{style}}}" for style, name in looks.items())
    moving = f"{took_s:.2f}s steps(1,end) infinite"
    rows = [_LIKE_KEYS.sub(lambda found: f"<tspan>{found[0]}</tspan>", row) for row in rows]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
            "<title>nearloop demo</title>",
            f"<style>text{{font:13.3px {FONT};white-space:pre;fill:#c9d1d9}}{look}",
            f"#lines{{transform:translateY(-{last}px)}}#cover{{transform:translateY({ROWS * HIGH}px)}}",
            f"@media(prefers-reduced-motion:no-preference){{#lines{{animation:scroll {moving}}}#cover{{animation:uncover {moving}}}}}",
            f"@keyframes scroll{{{scrolls}}}",
            f"@keyframes uncover{{{covers}}}</style>",
            f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
            f'<svg {inner}><g id="lines">',
            *rows,
            f'</g><rect id="cover" width="100%" height="{ROWS * HIGH}" fill="{GROUND}"/></svg>',
            "</svg>\n",
        ]
    )


def _shortened(lines: list[Line]) -> list[Line]:
    """With no wait longer than MOST_WAIT_S."""
    told, before, spared_s = [], 0.0, 0.0
    for line in lines:
        spared_s += max(0.0, line.at_s - before - MOST_WAIT_S)
        before = line.at_s
        told.append(Line(line.at_s - spared_s, line.text))
    return told


def _frames(lines: list[Line], took_s: float) -> tuple[str, str]:
    """Where the lines and what covers those to come stand, by shares of the time."""
    scrolls, covers = ["0%{transform:translateY(0)}"], ["0%{transform:translateY(0)}"]
    scroll = cover = 0
    for known, line in enumerate(lines, 1):
        share = f"{100 * line.at_s / took_s:.2f}%"
        if (now := max(0, known - ROWS)) != scroll:
            scroll = now
            scrolls.append(f"{share}{{transform:translateY(-{now * HIGH}px)}}")
        if (now := min(known, ROWS)) != cover:
            cover = now
            covers.append(f"{share}{{transform:translateY({now * HIGH}px)}}")
    end = f"100%{{transform:translateY(-{scroll * HIGH}px)}}"
    return "".join([*scrolls, end]), "".join([*covers, f"100%{{transform:translateY({cover * HIGH}px)}}"])


async def looked_at(picture: Path, folder: Path) -> None:
    """How a browser shows it at several times, as PNG files."""
    from tests.fakes.chromium import page

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as own:
        async with page(Path(own)) as shown:
            await shown.call("Page.navigate", url=picture.as_uri())
            await shown.until("document.getAnimations().length > 0")
            for share in LOOKS:
                await shown.value(
                    f"document.getAnimations().forEach(a => {{a.pause(); a.currentTime = {share} * a.effect.getComputedTiming().duration}})"
                )
                (folder / f"demo-{share:.2f}.png").write_bytes(await shown.picture())


def main() -> None:
    """Run, draw, and look if asked to."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--look", type=Path, metavar="DIR")
    parser.add_argument("--only-look", action="store_true", help="at the picture as it is")
    given = parser.parse_args()
    if not given.only_look:
        picture = drawn(recorded([sys.executable, "-m", "daemon.cli.main", "demo"]))
        assert len(picture.encode()) < MOST_BYTES, len(picture)
        PICTURE.write_text(picture, encoding="utf-8")
        print(f"{PICTURE.relative_to(ROOT)}: {len(picture.encode())} bytes")
    if given.look:
        asyncio.run(looked_at(PICTURE, given.look))


if __name__ == "__main__":
    main()
