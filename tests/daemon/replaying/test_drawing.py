"""The picture of the curves."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from daemon.replaying.cascading import cascades
from daemon.replaying.curve import measure, split
from daemon.replaying.drawing import HEIGHT, WIDTH, drawing
from daemon.replaying.recordings import Item
from tests.fakes.replays import PRICES, replayed

SVG = "{http://www.w3.org/2000/svg}"


async def drawn(items: list[Item]) -> str:
    parted = split(items, PRICES)
    return drawing(await measure(parted, PRICES, cascades(parted.chosen_on, parted.models)))


async def test_what_it_shows() -> None:
    """Models, methods with what they gain, the oracle, and no question."""
    svg = await drawn(replayed(["rrx", "rrr", "xxr", "xxr"], times=120, question="canary {0}"))
    texts = [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]

    for told in ("small", "middle", "large", "cascade by agreement", "cascade by brevity", "oracle 100.0%"):
        assert told in texts
    assert any(re.fullmatch(r"gain \+\d+\.\d points, η \+100%", text) for text in texts)
    assert "canary" not in svg
    assert not re.search(r"href|<script|<image|url\(|@import|<style", svg)


async def test_it_stays_inside_its_frame() -> None:
    """Also where all models are as good as each other, or none of them is any good."""
    for pattern in ("rrr", "xxx", "xxr"):
        root = ElementTree.fromstring(await drawn(replayed([pattern])))
        spots = [(float(node.get("cx", 0)), float(node.get("cy", 0))) for node in root.iter(f"{SVG}circle")]
        words = [
            (float(node.get("x", 0)), float(node.get("y", 0))) for node in root.iter(f"{SVG}text") if node.get("x")
        ]

        assert spots
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in (*spots, *words))


async def test_names_are_escaped() -> None:
    """A model may be called anything."""
    items = [
        Item(item.question, {f'<{name}&">': said for name, said in item.answers.items()}) for item in replayed(["rxr"])
    ]
    prices = {f'<{name}&">': price for name, price in PRICES.items()}
    parted = split(items, prices)

    root = ElementTree.fromstring(drawing(await measure(parted, prices, cascades(items, parted.models))))

    assert '<large&">' in [node.text for node in root.iter(f"{SVG}text")]
