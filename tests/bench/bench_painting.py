"""How much of planted values can be seen in pictures that leave, on pages that are drawn here, with the eyes and signals as in use.

Each page has two values between other words, in one of the fonts of this machine, turned by up to 10 degrees, half of them
JPEG of quality 60. A value is hidden if no letter of it is left in the file's pixels, whatever OCR says of them; where letters
are left, it is printed whether any signal had found it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon import settings
from daemon.boundary.approvals import Approvals
from daemon.boundary.clear import clear
from daemon.boundary.desk import Desk
from daemon.boundary.holds import Holds
from daemon.boundary.painting import Easel, Studio
from daemon.boundary.papers import Papers
from daemon.boundary.policy import Policies
from daemon.boundary.vault import Vault
from daemon.clock import SystemClock
from daemon.errors import NotPainted, Private
from daemon.pictures.service import Pictures
from daemon.pictures.studio import studio_of
from daemon.recipes.signals import Signals
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from edge_models.vision.limits import USUAL
from edge_models.vision.process import EyesProcess
from providers.cleared import Place
from providers.contract import Image, Message, Request, Text
from tests.fakes.asking import asking
from tests.fakes.pictures import Drawn, DrawnEyes, data_of, drawn, url_of

VALUES: Final = (
    "jane.keller@millbrook.org", "4111 1111 1111 1111", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "Jane Keller",
    "+44 20 7946 0958", "GB29 NWBK 6016 1331 9268 19", "Margaret Hollis", "192.168.17.43", "Robert Fennimore",
)  # fmt: skip
BEFORE: Final = ("Please write to", "It was sent to", "export TOKEN =", "Customer:", "Account holder", "Reported by")
BEHIND: Final = ("before Friday if you can", "and thank you for the order", "for all further questions", "")
BESIDE: Final = ("Invoice number and date are above", "The quarterly numbers look good", "def add(a, b): return a + b")
FONTS: Final = tuple(sorted(map(str, Path("/usr/share/fonts/truetype").glob("*/*.ttf"))))
SETTINGS: Final = 'policy = { classes = { picture = "mask", readable_picture = "mask", photo = "mask" } }'


def page(chance: random.Random) -> tuple[Drawn, tuple[str, ...]]:
    """A page and the values on it."""
    values = tuple(chance.sample(VALUES, 2))
    lines = [f"{chance.choice(BEFORE)} {value} {chance.choice(BEHIND)}".strip() for value in values]
    lines += [chance.choice(BESIDE), chance.choice(BESIDE)]
    chance.shuffle(lines)
    font = chance.choice((None, *(each for each in FONTS if "Liberation" in each or "DejaVu" in each)))
    angle, size = chance.choice((0, 0, 0, 2, -4, 8, -10)), chance.choice((16, 20, 24, 32))
    return drawn(lines, font=font, angle=angle, size=size), values


async def left(request: Request, desk: Desk, observer: Observer, studio: Studio) -> bytes:
    """The picture's file as it leaves. Raises NotPainted."""
    papers = Papers(desk, request, await observer.observe(request))
    clearance = await papers.clearance("openai", "gpt-5")
    easel = Easel(studio, papers, desk.vault)
    painted = await easel.painted(request, clearance, "openai", lambda picture: 2048)
    passage = clear(request, clearance, Place.CLOUD, desk.vault, "openai", painted)
    picture = passage.cleared.request.messages[0].parts[1]
    assert isinstance(picture, Image)
    return data_of(picture.url)


async def measure(pages: int, seed: int) -> None:
    chance, counts, took = random.Random(seed), Counter[str](), []
    clock = SystemClock()
    pictures = Pictures(EyesProcess(USUAL), clock, 120.0, 8, USUAL.size_bytes)
    observer = Observer(Signals(), Parts(guard=True, reduce=frozenset({"picture"})), deadline_s=120.0)
    studio = studio_of(pictures, observer.observe)
    approvals = Approvals(Path(tempfile.mkdtemp()) / "approvals.json")
    desk = Desk(Policies(settings.parse(SETTINGS)), approvals, Holds(approvals, clock, 60.0), Vault(), ("openai",))
    for _ in range(pages):
        made, values = page(chance)
        form = chance.choice(("jpeg", "png"))
        part = Image(url_of(made.data(form.upper(), **({"quality": 60} if form == "jpeg" else {})), form))
        request = (await pictures.look(asking(messages=(Message("user", (Text("Summarise"), part)),)))).request
        began = perf_counter()
        try:
            file = await left(request, desk, observer, studio)
        except NotPainted as refused:
            counts[refused.code] += 1
            continue
        except Private:
            counts["feared to be an identity document"] += 1
            continue
        took.append(perf_counter() - began)
        whole, seen = made.sight.text, DrawnEyes(made).read(file).text
        hidden = {at for value in values for at in range(whole.index(value), whole.index(value) + len(value))}
        for value in values:
            at = whole.index(value)
            shown = seen[at : at + len(value)].split()
            counts["values"] += 1
            counts["hidden"] += not shown
            if shown:
                print(f"left of {value!r}: {' '.join(shown)!r} in {made.sight.text.splitlines()}")
        others = [at for at, character in enumerate(whole) if not character.isspace() and at not in hidden]
        counts["other letters"] += len(others)
        counts["other letters hidden"] += sum(seen[at] == " " for at in others)
    print(dict(counts))
    print(f"signals, painting, a second look: {statistics.median(took):.2f} s at the median of {len(took)} pages")
    pictures.close()
    observer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    asyncio.run(measure(asked.pages, asked.seed))
