"""Why a text could not be read by a small model, with the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from daemon.errors import ModelMissing
from daemon.signals.base import UNSCANNED
from daemon.signals.forward import NO_HEAD, Forward
from daemon.signals.opening import NO_MODEL, Unread
from daemon.signals.parts import Parts
from daemon.signals.vectors import Vectors


@contextmanager
def readable(parts: Parts, what: Literal["heads", "vectors"] = "heads") -> Iterator[None]:
    """Where texts are read: one that could not be is told with the remedy. Raises ModelMissing."""
    try:
        yield
    except Unread as why:
        raise _missing(parts.heads if what == "heads" else parts.vectors, why.code) from why


def _missing(service: Forward | Vectors, code: str) -> ModelMissing:
    match code:
        case "NoModel":
            return ModelMissing(f"the model for this is not here: {service.why or 'install Nearloop again'}")
        case "NoHead":
            return ModelMissing("the signal models that are installed have no head for this: install a newer Nearloop")
        case "Unscanned":
            return ModelMissing("the text could not be read whole in time: send less, or raise signals.deadline_s")
        case _:
            return ModelMissing(f"the model failed on this text ({code}): see `nearloop doctor`")


assert (NO_MODEL, NO_HEAD, UNSCANNED) == ("NoModel", "NoHead", "Unscanned")  # the codes above
