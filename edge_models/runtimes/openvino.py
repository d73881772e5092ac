"""OpenVINO as a runtime of encoders.

It reads its own IR, ONNX, and BERT weights as Hugging Face keeps them (`edge_models.bert`). A compiled model has several
infer requests, which are lent to one caller at a time and kept: making one costs memory and 0.1 ms, and running one
gives the interpreter to other threads. Texts run one by one: batching them gains 2.27 to 2.11 ms a text (16 texts of 64
tokens, int8 MiniLM, 2 cores) and pads all to the longest.
"""

from __future__ import annotations

import queue
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from edge_models import openvino_gate
from edge_models.bert import bert_model
from edge_models.engines.base import Broken, Unavailable
from edge_models.pooling import Floats
from edge_models.runtimes.base import Placement, check_inputs

FILES: tuple[str, ...] = ("openvino_model.xml", "model.onnx", "onnx/model.onnx", "model.safetensors")
_REFUSALS: Final = (RuntimeError, IndexError, ValueError, TypeError, MemoryError)  # of pybind11
_MOST_REQUESTS: Final = 8
"""Requests kept for one model; each holds its intermediate tensors, 5 to 10 MB for MiniLM at 512 tokens (computed)."""


class Graph:
    """One compiled model, whatever it takes. Any number of threads may call `run`."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue(_MOST_REQUESTS)
        self.inputs: Mapping[str, np.dtype[Any]] = {
            port.get_any_name(): np.dtype(port.get_element_type().to_dtype()) for port in compiled.inputs
        }
        self.outputs: tuple[str, ...] = tuple(_name(port, place) for place, port in enumerate(compiled.outputs))
        self.device = ", ".join(compiled.get_property("EXECUTION_DEVICES"))

    def run(self, feeds: Mapping[str, NDArray[Any]], outputs: tuple[str, ...]) -> dict[str, Floats]:
        """What the graph gives, by name. Raises Broken."""
        try:
            request = self._idle.get_nowait()
        except queue.Empty:
            request = self._compiled.create_infer_request()
        try:
            results = request.infer(dict(feeds))
            values: dict[str, Floats] = {  # copied, since the request's own are reused
                output: np.array(results[self.outputs.index(output)], np.float32) for output in outputs
            }
        except _REFUSALS as error:
            raise Broken("OpenVINO failed on an input: its model may be damaged, fetch it again") from error
        with suppress(queue.Full):
            self._idle.put_nowait(request)
        return values

    def close(self) -> None:
        """Give memory back."""
        while not self._idle.empty():
            self._idle.get_nowait()
        self._compiled = None


class OpenVinoRuntime:
    """One compiled encoder of text."""

    def __init__(self, compiled: Any, static_tokens: int | None, multiple: int = 1) -> None:
        self._graph = Graph(compiled)
        self.inputs: Mapping[str, np.dtype[Any]] = self._graph.inputs
        check_inputs(self.inputs)
        self.outputs: tuple[str, ...] = self._graph.outputs
        self.static_tokens = static_tokens
        self.multiple = multiple
        self.device = self._graph.device

    def run(self, feeds: Mapping[str, NDArray[np.integer[Any]]], output: str) -> Floats:
        return self._graph.run(feeds, (output,))[output]

    def run_all(self, feeds: Mapping[str, NDArray[np.integer[Any]]]) -> dict[str, Floats]:
        return self._graph.run(feeds, self.outputs)

    def close(self) -> None:
        self._graph.close()


def _name(port: Any, place: int) -> str:
    names = port.get_names()
    return min(names) if names else f"output {place}"


def load(file: Path, placement: Placement) -> OpenVinoRuntime:
    """Read and compile a graph. Raises NotInstalled, Unavailable."""
    core = openvino_gate.core()
    try:
        model = bert_model(file.parent) if file.suffix == ".safetensors" else core.read_model(file)
        if placement.static_tokens:
            model.reshape({port: [1, placement.static_tokens] for port in model.inputs})
    except _REFUSALS as error:
        raise _unreadable() from error
    return OpenVinoRuntime(compiled(model, placement), placement.static_tokens, placement.multiple)


def read_model(file: Path) -> Any:
    """A graph out of its file, as `openvino.Model`. Raises NotInstalled, Unavailable."""
    core = openvino_gate.core()
    try:
        return core.read_model(file)
    except _REFUSALS as error:
        raise _unreadable() from error


def compiled(model: Any, placement: Placement, *, exact: bool = False) -> Any:
    """A graph made ready to run. exact: in float32 also on CPUs with shorter floats. Raises NotInstalled, Unavailable."""
    core = openvino_gate.core()
    device = placement.device or "CPU"
    if device.partition(".")[0] not in {*map(_family, core.available_devices), "AUTO"}:
        there = ", ".join(core.available_devices)
        raise Unavailable(
            f"OpenVINO has no device {device} here, but {there}: choose one of these, or install its driver"
        )
    properties: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY"}
    if placement.threads and device == "CPU":
        properties["INFERENCE_NUM_THREADS"] = placement.threads
    if exact and device == "CPU":
        properties["INFERENCE_PRECISION_HINT"] = "f32"
    if placement.cache_dir:
        properties["CACHE_DIR"] = placement.cache_dir
    try:
        return core.compile_model(model, device, properties)
    except _REFUSALS as error:
        raise _unreadable() from error


def _unreadable() -> Unavailable:
    return Unavailable("OpenVINO can't read this encoder: its files are damaged or of an unknown kind, fetch it again")


def _family(device: str) -> str:
    return device.partition(".")[0]


def versions() -> dict[str, str]:
    """Package name to version; imports nothing heavy."""
    return {name: found for name, found in openvino_gate.versions().items() if name == "openvino"}
