"""Parts as plain values."""

from __future__ import annotations

from daemon.recipes.model import Decision, ModelRef, RecipeFile
from daemon.recipes.plain import plain
from daemon.recipes.signals import MetadataTest


def test_defaults_are_left_out_by_value() -> None:
    """Whether a file spells a default out makes no difference to what is written."""
    spelled = "".join(("v0", ".3"))  # equal, and not the same object

    assert plain(RecipeFile(version=spelled)) == {}  # type: ignore[arg-type]
    assert plain(Decision(name="d", priority=0, model_refs=(ModelRef(model="m", use_reasoning=False),))) == {
        "name": "d",
        "modelRefs": [{"model": "m", "use_reasoning": False}],
    }


def test_names_are_the_files() -> None:
    """Words that Python keeps for itself are written as files have them."""
    assert plain(MetadataTest(one_of=("a",))) == {"in": ["a"]}
