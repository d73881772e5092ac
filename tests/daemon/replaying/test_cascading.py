"""What cascades believe of drafts."""

from __future__ import annotations

import pytest

from daemon.replaying.cascading import agreement, brevity, cascades
from daemon.replaying.recordings import Item, Recorded
from tests.fakes.replays import MODELS, replayed


@pytest.mark.parametrize(
    ("pattern", "before", "share"),
    [("rrr", (), 0.0), ("rrr", ("small",), 1.0), ("rxr", ("small", "middle"), 0.5), ("xxr", ("small", "middle"), 0.0)],
)
def test_agreement(pattern: str, before: tuple[str, ...], share: float) -> None:
    """The share of the models before it that say the same; of nobody, none."""
    (item,) = replayed([pattern], times=1)

    assert agreement(item, "large", before) == share


def test_prose_agrees_with_nothing() -> None:
    """What can't be compared is no agreement, even word for word."""
    prose = Recorded("It depends on many things that nobody can tell beforehand.", True)

    assert agreement(Item("Why?", {"small": prose, "large": prose}), "large", ("small",)) == 0.0


def test_brevity() -> None:
    """The share of the model's own answers that are as long or longer."""
    items = [Item(f"{size}?", {"small": Recorded("x" * size, True)}) for size in (10, 20, 30, 40)]
    sureness = brevity(items, ["small"])

    assert [sureness(item, "small", ()) for item in items] == [1.0, 0.75, 0.5, 0.25]
    assert sureness(Item("?", {"small": Recorded("x" * 50, True)}), "small", ()) == 0.0


async def test_settings() -> None:
    """Each model alone; each ladder of three, of which the first is always followed by a second opinion."""
    by_agreement, by_brevity = cascades(replayed(["rrr"]), MODELS)
    (agree,) = replayed(["wwr"], times=1)
    (differ,) = replayed(["xwr"], times=1)
    ladder = by_agreement.settings[-1]

    assert [each.name for each in by_agreement.settings] == [*MODELS, "small > middle > large, kept: one agrees"]
    assert (await ladder.answer(agree)).winner == "middle"
    assert (await ladder.answer(differ)).asked == MODELS
    assert len(by_brevity.settings) == 3 + (3 + 1) * 9
    assert by_brevity.settings[3].name == "small > middle, kept: the shortest 90%"


async def test_four_models() -> None:
    """Of four, some of those before agree or all do."""
    items = [
        Item(
            "?", {model: Recorded(f"#### {said}", said == 1) for model, said in zip("abcd", (1, 2, 1, 3), strict=True)}
        )
    ]
    settings = {each.name: each for each in cascades(items, "abcd")[0].settings}

    assert (await settings["a > b > c > d, kept: one agrees"].answer(items[0])).winner == "c"
    assert (await settings["a > b > c > d, kept: all agree"].answer(items[0])).winner == "d"


def test_where_there_is_nothing_to_go_by() -> None:
    """Rightness without words is nothing that a cascade could know; two models can't agree before the last one is asked."""
    assert cascades(replayed(["rrr"], worded=False), MODELS) == []
    assert [each.name for each in cascades(replayed(["rrr"]), MODELS[:2])] == ["cascade by brevity"]
