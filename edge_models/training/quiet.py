"""Silence for libraries that talk to the terminal while they work."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from collections.abc import Iterator

# Read by the libraries when they are imported, which is why this module is imported first.
os.environ.update(
    HF_HUB_DISABLE_PROGRESS_BARS="1",
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_OFFLINE="1",
    TRANSFORMERS_OFFLINE="1",
    TRANSFORMERS_VERBOSITY="error",
)
# torch's threads spin while they wait for each other: on two busy cores a pass of 0.1 s took 8 (SmolLM2, measured).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries' bars, logs and warnings off the terminal; what goes wrong is raised."""
    logging.disable(logging.WARNING)
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
