"""ImageNet's classes in groups."""

import numpy as np
import pytest

from edge_models.vision.things import GROUP_OF, NAMES, things


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (207, "animal"),  # golden retriever
        (817, "vehicle"),  # sports car
        (656, "vehicle"),  # minivan
        (963, "food"),  # pizza
        (985, "plant"),  # daisy
        (970, "scenery"),  # alp
        (497, "building"),  # church
        (620, "device"),  # laptop
        (834, "clothing"),  # suit
        (532, "furniture"),  # dining table
        (402, "instrument"),  # acoustic guitar
        (764, "weapon"),  # rifle
        (845, "medicine"),  # syringe
        (805, "sport"),  # soccer ball
        (916, "print"),  # web site
        (983, "person"),  # scuba diver
        (783, "object"),  # screw
    ],
)
def test_a_class_is_in_its_group(number: int, name: str) -> None:
    """A few of each, by ImageNet's numbers."""
    logits = np.zeros(1000)
    logits[number] = 20
    assert next(iter(things(logits))) == name


def test_shares_sum_to_one() -> None:
    """Nothing is counted twice or left out: 1000 classes, each in one group."""
    assert abs(sum(things(np.zeros(1000)).values()) - 1) < 0.02
    assert len(GROUP_OF) == 1000
    assert set(np.unique(GROUP_OF)) == set(range(len(NAMES)))
