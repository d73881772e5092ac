"""Tensors out of a file that torch wrote before its files were archives, read without torch.

Such a file is four pickles (a magic number, a protocol, the machine's sizes, the tensors by name), the list of storages, and
the storages themselves: each a number of elements as a little-endian i64, then the elements. A pickle can call anything, so
this reader knows three names and no other.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable

_MAGIC: Final = 0x1950A86A20F9469CFC6C
_TYPES: Final = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}
_MOST_BYTES: Final = 1 << 30


class _Storage:
    """Elements that tensors share, which come at the file's end."""

    def __init__(self, kind: np.dtype[Any], length: int) -> None:
        self.kind, self.length = kind, length
        self.values: NDArray[Any] = np.empty(0, kind)


class _Place:
    """Where in a storage a tensor is."""

    def __init__(self, storage: _Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.storage, self.offset, self.shape, self.strides = storage, offset, shape, strides

    def read(self) -> NDArray[Any]:
        """The tensor. Raises Unavailable."""
        steps = (self.offset, *self.shape, *self.strides)
        last = self.offset + sum((size - 1) * step for size, step in zip(self.shape, self.strides, strict=True))
        if min(steps) < 0 or not prod(self.shape) or last >= self.storage.length:
            raise _damaged()
        width = self.storage.kind.itemsize
        view = as_strided(self.storage.values[self.offset :], self.shape, [step * width for step in self.strides])
        return np.ascontiguousarray(view)


def _tensor(storage: _Storage, offset: int, shape: Any, strides: Any, *_: object) -> _Place:
    return _Place(storage, int(offset), tuple(map(int, shape)), tuple(map(int, strides)))


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BufferedIOBase, storages: dict[str, _Storage]) -> None:
        super().__init__(file)
        self._storages = storages

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if module == "torch" and name in _TYPES:
            return _TYPES[name]
        raise _damaged()

    def persistent_load(self, told: Any) -> _Storage:
        word, kind, key, _, length, *_ = told
        if word != "storage" or not isinstance(kind, np.dtype):
            raise _damaged()
        return self._storages.setdefault(str(key), _Storage(kind, int(length)))


def read_pth(path: Path) -> dict[str, NDArray[Any]]:
    """Name to array. Raises Unavailable, and nothing else."""
    storages: dict[str, _Storage] = {}
    try:
        with path.open("rb") as file:
            data = io.BytesIO(file.read(_MOST_BYTES))
        load: Callable[[], Any] = lambda: _Reader(data, storages).load()  # noqa: E731
        if load() != _MAGIC:
            raise _damaged()
        load(), load()
        places = load()
        for key in load():
            storage = storages[str(key)]
            if int.from_bytes(data.read(8), "little") != storage.length:
                raise _damaged()
            storage.values = np.frombuffer(data.read(storage.length * storage.kind.itemsize), storage.kind)
            if len(storage.values) != storage.length:
                raise _damaged()
        return {str(name): place.read() for name, place in places.items() if isinstance(place, _Place)}
    except Unavailable:
        raise
    except Exception as error:  # a pickle's machine raises whatever its program leads to
        raise _damaged() from error


def _damaged() -> Unavailable:
    return Unavailable("the picture encoder's weights are damaged or no such file: install their package again")
