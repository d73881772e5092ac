"""ONNX Runtime as a runtime of encoders: DirectML on Windows where it can, else the CPU.

Why it stands beside OpenVINO, which reads ONNX too: it has wheels where OpenVINO has none (Windows on Arm), and reaches
any Windows GPU through DirectML. On the CPU OpenVINO is the better one: for MiniLM, ONNX Runtime takes 1.2 to 1.7 times its
CPU time in float and 1.1 to 2.1 times in int8, at 16 to 512 tokens (tests/bench/bench_encoders.py).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from contextlib import nullcontext
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from edge_models.engines.base import Broken, NotInstalled, Unavailable
from edge_models.pooling import Floats
from edge_models.runtimes.base import Placement, check_inputs

FILES: tuple[str, ...] = ("model.onnx", "onnx/model.onnx")
PACKAGES: Final = ("onnxruntime", "onnxruntime-directml")
PROVIDERS: Final[dict[str, tuple[str, ...]]] = {"win32": ("DmlExecutionProvider", "CPUExecutionProvider")}
"""Platform to what is tried there, the best first; any other: the CPU."""
_CPU: Final = ("CPUExecutionProvider",)
_DEVICES: Final = {"DmlExecutionProvider": "DML", "CPUExecutionProvider": "CPU"}
_TYPES: Final[dict[str, np.dtype[Any]]] = {"tensor(int64)": np.dtype(np.int64), "tensor(int32)": np.dtype(np.int32)}
_ERRORS_ONLY: Final = 3  # OrtLoggingLevel


def providers(platform: str, available: tuple[str, ...], device: str | None) -> tuple[str, ...]:
    """Which providers to ask for, the best first. Raises Unavailable if `device` isn't there: a wish is no hint."""
    there = tuple(name for name in PROVIDERS.get(platform, _CPU) if name in available)
    if device is None:
        return there
    chosen = tuple(name for name in there if _DEVICES[name] == device)
    if not chosen:
        names = ", ".join(_DEVICES[name] for name in there)
        raise Unavailable(f"ONNX Runtime has no device {device} here, but {names}: choose one of these, or none")
    return chosen


class OnnxRuntime:
    """One session."""

    static_tokens: int | None
    multiple: int

    def __init__(self, session: Any, static_tokens: int | None, multiple: int = 1) -> None:
        self._session = session
        self.inputs: Mapping[str, np.dtype[Any]] = {
            node.name: _TYPES.get(node.type, np.dtype(np.int64)) for node in session.get_inputs()
        }
        check_inputs(self.inputs)
        self.outputs: tuple[str, ...] = tuple(node.name for node in session.get_outputs())
        self.static_tokens = static_tokens
        self.multiple = multiple
        self.device = _DEVICES[session.get_providers()[0]]
        # DirectML's provider forbids two runs of one session at a time; the CPU's is made for it.
        self._turn = threading.Lock() if self.device == "DML" else nullcontext()

    def run(self, feeds: Mapping[str, NDArray[np.integer[Any]]], output: str) -> Floats:
        return self._run(feeds, (output,))[output]

    def run_all(self, feeds: Mapping[str, NDArray[np.integer[Any]]]) -> dict[str, Floats]:
        return self._run(feeds, self.outputs)

    def _run(self, feeds: Mapping[str, NDArray[np.integer[Any]]], outputs: tuple[str, ...]) -> dict[str, Floats]:
        try:
            with self._turn:
                values: list[NDArray[Any]] = self._session.run(list(outputs), dict(feeds))
        except Exception as error:
            raise Broken("ONNX Runtime failed on a text: its model may be damaged, fetch it again") from error
        return {name: value.astype(np.float32, copy=False) for name, value in zip(outputs, values, strict=True)}

    def close(self) -> None:
        self._session = None


def load(file: Path, placement: Placement) -> OnnxRuntime:
    """Open a session over one .onnx file. Raises NotInstalled, Unavailable."""
    try:
        import onnxruntime
    except ImportError as error:
        raise NotInstalled("ONNX Runtime is not installed: install `nearloop[onnx]`, or take OpenVINO") from error
    onnxruntime.disable_telemetry_events()
    available = tuple(onnxruntime.get_available_providers())
    wanted = providers(sys.platform, available, placement.device)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _ERRORS_ONLY
    options.intra_op_num_threads = placement.threads or 0
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # an idle daemon costs no core
    if "DmlExecutionProvider" in wanted:  # both are DirectML's own conditions
        options.enable_mem_pattern = False
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    try:
        session = onnxruntime.InferenceSession(str(file), options, providers=list(wanted))
    except Exception as error:
        raise Unavailable(
            "ONNX Runtime can't read this model: the file is damaged or of a newer kind, fetch it again"
        ) from error
    return OnnxRuntime(session, placement.static_tokens, placement.multiple)


def versions() -> dict[str, str]:
    """Package name to version; imports nothing heavy."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
