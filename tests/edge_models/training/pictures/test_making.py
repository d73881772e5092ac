"""The whole recipe, small: a graph of made-up weights, few pictures."""

import pickle
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from edge_models.training.pictures import making
from edge_models.training.pictures.making import PROVENANCE, REPORT, Recipe, train
from edge_models.vision.kinds import KindReader
from tests.edge_models.training.pictures.test_efficientnet import made_up

pytestmark = pytest.mark.slow


def old_file(tensors: dict[str, NDArray[np.float32]]) -> bytes:
    """As torch wrote it before its files were archives."""
    head = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2) + pickle.dumps({}, 2)
    named, data = b"ccollections\nOrderedDict\n(tR", b""
    for name, values in tensors.items():
        storage = b"(S'storage'\nctorch\nFloatStorage\nS'%s'\nS'cpu'\nI%d\nNtQ" % (name.encode(), values.size)
        shape = b"(" + b"".join(b"I%d\n" % size for size in values.shape) + b"t"
        strides = b"(" + b"".join(b"I%d\n" % (step // 4) for step in values.strides) + b"t"
        tensor = b"ctorch._utils\n_rebuild_tensor_v2\n(%sI0\n%s%sI00\ntR" % (storage, shape, strides)
        named += b"S'%s'\n" % name.encode() + tensor + b"s"
        data += values.size.to_bytes(8, "little") + values.astype("<f4").tobytes()
    return head + named + b"." + pickle.dumps(list(tensors), 2) + data


def test_what_is_made_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Graph, head, manifest, provenance and report; and a second run takes what the first one kept."""
    monkeypatch.setattr(making, "NEW", 2)
    (tmp_path / "weights.pth").write_bytes(old_file(made_up()))
    chance = np.random.default_rng(0)
    for number in range(3):
        file = tmp_path / "free" / "photo" / "somebody" / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(chance.integers(0, 255, (60, 80, 3), np.uint8)).save(file)
    (tmp_path / "free" / "photo" / "somebody" / "LICENCE").write_text("CC0-1.0")
    told: list[str] = []
    progress: Callable[[float, str], None] = lambda share, line: told.append(line)  # noqa: E731
    where = (tmp_path / "weights.pth", tmp_path / "free", [tmp_path / "free"], tmp_path / "made", tmp_path / "work")
    train(*where, Recipe(each=2, seed=1), progress)
    assert "building the encoder" in told
    found = KindReader(tmp_path / "made").read(Image.new("RGB", (50, 50), (1, 2, 3)))
    assert abs(sum(found.kinds.values()) - 1) < 0.01
    assert "somebody: CC0-1.0" in (tmp_path / "made" / REPORT).read_text(encoding="utf-8")
    assert b'"photo/somebody"' in (tmp_path / "made" / PROVENANCE).read_bytes()
    provenance = msgspec.json.decode((tmp_path / "made" / PROVENANCE).read_bytes())
    assert provenance["features_by"].items() <= provenance["files"].items()
    assert all(each["pictures"] and 0 <= each["right"] <= 1 for each in provenance["metrics"].values())
    first = (tmp_path / "made" / "kinds.npz").read_bytes()
    train(*where, Recipe(each=2, seed=1), progress)
    assert (tmp_path / "made" / "kinds.npz").read_bytes() == first
