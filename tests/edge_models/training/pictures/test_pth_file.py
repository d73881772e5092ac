"""torch's old files, without torch."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable
from edge_models.training.pictures.pth_file import read_pth


def old_file(shape: bytes, strides: bytes, offset: int, values: NDArray[Any]) -> bytes:
    """One tensor `a` over one storage, as torch writes it; pickles of protocol 0 by hand, since they name torch's classes."""
    head = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2) + pickle.dumps({"little_endian": True}, 2)
    storage = b"(S'storage'\nctorch\nFloatStorage\nS'7'\nS'cpu'\nI%d\nNtQ" % len(values)
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"I%d\n%s%sI00\nccollections\nOrderedDict\n(tRtR" % (offset, shape, strides)  # fmt: skip
    named = b"ccollections\nOrderedDict\n(tRS'a'\n" + tensor + b"s."
    data = len(values).to_bytes(8, "little") + values.astype("<f4").tobytes()
    return head + named + pickle.dumps(["7"], 2) + data


def whole_numbers(*numbers: int) -> bytes:
    return b"(" + b"".join(b"I%d\n" % number for number in numbers) + b"t"


def test_a_tensor_is_read(tmp_path: Path) -> None:
    """With its offset and its strides: torch keeps a transposed matrix as it lay."""
    file = tmp_path / "a.pth"
    file.write_bytes(old_file(whole_numbers(2, 3), whole_numbers(1, 2), 1, np.arange(8)))
    assert np.array_equal(read_pth(file)["a"], [[1, 3, 5], [2, 4, 6]])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a pickle",
        old_file(whole_numbers(2, 9), whole_numbers(9, 1), 0, np.arange(8)),
        old_file(whole_numbers(2, 2), whole_numbers(-2, 1), 4, np.arange(8)),
        old_file(whole_numbers(2, 3), whole_numbers(3, 1), 0, np.arange(8))[:-5],
        old_file(whole_numbers(2, 3), whole_numbers(3, 1), 0, np.arange(8)).replace(b"FloatStorage", b"WideStorage"),
    ],
    ids=["empty", "text", "past its storage", "strides back", "cut", "unknown storage"],
)
def test_what_lies_is_refused(tmp_path: Path, data: bytes) -> None:
    """And nothing else is raised."""
    file = tmp_path / "a.pth"
    file.write_bytes(data)
    with pytest.raises(Unavailable):
        read_pth(file)


def test_a_pickle_that_calls_is_refused(tmp_path: Path) -> None:
    """A name besides the three that are known isn't looked up, let alone called."""
    file, mark = tmp_path / "a.pth", tmp_path / "mark"
    head = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2) + pickle.dumps({}, 2)
    file.write_bytes(head + b"cpathlib\nPath\n(S'%s'\ntR." % str(mark).encode())
    with pytest.raises(Unavailable):
        read_pth(file)
    file.write_bytes(head + b"cos\nmkdir\n(S'%s'\ntR." % str(mark).encode())
    with pytest.raises(Unavailable):
        read_pth(file)
    assert not mark.exists()
