"""Nobody but the boundary makes what may leave."""

from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path

import msgspec
import pytest

from providers.cleared import _SEAL, Cleared, Place
from providers.contract import Message, Request, Text

ROOT = Path(__file__).resolve().parents[2]
REQUEST = Request(id="0" * 16, model="cloud", messages=(Message("user", (Text("hi"),)),), protocol="test")


@pytest.fixture
def cleared() -> Cleared:
    return Cleared(_SEAL, REQUEST, Place.LAN, {"EMAIL_ADDRESS": 1}, "id")


@pytest.mark.parametrize("seal", [None, object(), True, "seal"])
def test_it_takes_the_seal(seal: object) -> None:
    """Without the boundary's seal there is none."""
    with pytest.raises(TypeError, match="boundary"):
        Cleared(seal, REQUEST, Place.CLOUD, {}, "id")


def test_it_can_not_be_changed_copied_stored_or_subclassed(cleared: Cleared) -> None:
    """Every way to another one is closed."""
    with pytest.raises(AttributeError):
        cleared._place = Place.CLOUD
    with pytest.raises(AttributeError):
        del cleared._request
    with pytest.raises(TypeError):
        cleared.masks["X"] = 1  # type: ignore[index]
    for forge in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            forge(cleared)
    with pytest.raises(TypeError):
        msgspec.json.encode(cleared)
    with pytest.raises((TypeError, msgspec.ValidationError)):
        msgspec.convert({"request": REQUEST}, Cleared)
    with pytest.raises(TypeError):
        type("Forged", (Cleared,), {})


def test_it_permits_its_place_and_nearer_ones(cleared: Cleared) -> None:
    """What may go to the local network may not go to the cloud."""
    assert cleared.permits(Place.DEVICE)
    assert cleared.permits(Place.LAN)
    assert not cleared.permits(Place.CLOUD)


def test_only_the_boundary_holds_the_seal() -> None:
    """No other source names the seal, builds a Cleared, or reaches round its constructor."""
    allowed = {"providers/cleared.py", "daemon/boundary/clear.py"}
    for package in ("daemon", "providers", "edge_models", "tui"):
        for path in (ROOT / package).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            if name in allowed:
                continue
            text = path.read_text()
            assert "_SEAL" not in text, name
            assert "object.__new__" not in text, name
            for node in ast.walk(ast.parse(text)):
                made = isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
                if made:
                    called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                    assert called != "Cleared", name
