"""A stateful decoder model of OpenVINO's, compiled, and the sequences of tokens that it has read.

Theory of operation. A model that optimum-intel or GenAI's GGUF reader wrote keeps its keys and values itself: a request
object (`InferRequest`) holds one state, and each call appends cells to it. State can be copied out and in, but never cut.
So what a sequence is to forget stays where it is and is hidden: its place in the attention mask becomes 0, and the position
ids of what comes next go on from the last cell that counts. A hidden cell has a weight of exactly 0 in every later softmax,
so this is the same as never having read it (test_decoder.py holds it to 1e-5), costs a look at the cell, and serves both
scores and the reuse of prefixes. It doesn't hold for a state that is no list of cells (recurrent layers), nor where layers
look back over a fixed number of cells: there, state is copied out before and in afterwards.

The output layer is the largest matrix of a small model. `_with_rows` gives the graph one more input, the rows of which
logits are wanted, in front of it: a prompt of 1,024 tokens computes 1 row instead of 1,024, 0.2 MB instead of 200.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from edge_models import openvino_gate
from edge_models.engines.base import Broken, Unavailable
from edge_models.engines.genai_text import REFUSALS
from edge_models.plain_files import read_plain
from edge_models.sampling import Logits

_ROWS: Final = "nearloop_rows"
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "position_ids", "beam_idx"})
_THROUGH: Final = frozenset({"Convert", "Add", "Multiply", "Divide", "Tanh"})
"""What may stand between the output layer and the result: a bias, a scale, a soft cap (Gemma 2), a change of type."""
_FIRST_CELLS: Final = 256


class _Config(Struct, frozen=True):
    """What is read of a Hugging Face config.json: whether layers look back over a fixed number of tokens only."""

    sliding_window: int | None = None
    use_sliding_window: bool = True
    text_config: _Config | None = None

    @property
    def slides(self) -> bool:
        """Whether any layer does."""
        inner = self.text_config is not None and self.text_config.slides
        return inner or (self.sliding_window is not None and self.use_sliding_window)


_decode_config: Final = msgspec.json.Decoder(_Config).decode


class Decoder:
    """A compiled model. hides: whether cells can be hidden; else state is copied to forget something."""

    def __init__(self, compiled: Any, inputs: frozenset[str], hides: bool) -> None:
        self.compiled = compiled
        self.inputs = inputs
        self.hides = hides


class TokenSequence:
    """Tokens that a decoder has read, with the state that they left. Empty at first."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._request = decoder.compiled.create_infer_request()
        self._mask = np.zeros(_FIRST_CELLS, np.int64)
        self._beam = np.zeros(1, np.int32)
        self.tokens: list[int] = []
        """What was read and counts."""
        self.cells = 0
        """What was read, hidden or not."""

    def read(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Read more, at least one. Returns the logits after each of the last `rows` tokens, (rows, vocabulary).

        The array is the caller's until the next `read`. Raises Broken. It can't be left before its end: a cancelled
        InferRequest leaves shapes behind in the CPU's graph on which every later call fails (2026.4.1, tried).
        """
        count, before = len(tokens), self.cells
        self._grow(before + count)
        self._mask[before : before + count] = 1
        place = len(self.tokens)
        feeds: dict[str, Any] = {
            "input_ids": np.array([tokens], np.int64),
            "attention_mask": self._mask[None, : before + count],
            "position_ids": np.arange(place, place + count, dtype=np.int64)[None],
            "beam_idx": self._beam,
            _ROWS: np.arange(count - rows, count, dtype=np.int64),
        }
        try:
            self._request.infer({name: feeds[name] for name in self._decoder.inputs})
            logits: Logits = self._request.get_output_tensor(0).data[0, -rows:]
        except REFUSALS as error:
            raise Broken("OpenVINO failed in mid-answer") from error
        self.tokens += tokens
        self.cells += count
        return logits

    def shorten(self, length: int) -> None:
        """Forget all tokens but the first `length`; only where the decoder hides."""
        if length == len(self.tokens):
            return
        assert self._decoder.hides, "this state can't be shortened"
        counting = np.flatnonzero(self._mask[: self.cells])
        self._mask[counting[length:]] = 0
        del self.tokens[length:]

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is read inside is forgotten at the end."""
        length, cells = len(self.tokens), self.cells
        if self._decoder.hides:
            yield
            self.shorten(length)
            return
        saved = [(state, self._copy(state.state)) for state in self._request.query_state()]
        yield
        for state, value in saved:
            state.state = value
        self._mask[cells:] = 0
        self.cells = cells
        del self.tokens[length:]

    def _grow(self, cells: int) -> None:
        if cells > len(self._mask):
            larger = np.zeros(2 * cells, np.int64)
            larger[: len(self._mask)] = self._mask
            self._mask = larger

    def _copy(self, tensor: Any) -> Any:
        return openvino_gate.openvino().Tensor(np.array(tensor.data, copy=True))


def open_decoder(directory: Path, device: str, properties: dict[str, Any]) -> Decoder:
    """Compile the model of a directory that OpenVINO can load. Raises Unavailable."""
    openvino = openvino_gate.openvino()
    try:
        core = openvino.Core()
        model = core.read_model(directory / "openvino_model.xml")
        names = {name for port in model.inputs for name in port.names}
        states = [sink.get_variable_id() for sink in model.get_sinks()]
        if not states or not {"input_ids", "beam_idx"} <= names or not names <= _INPUTS:
            raise Unavailable(
                "this model is not a text model that keeps its own state; export it with optimum-intel, as"
                " text-generation-with-past"
            )
        sliced = _with_rows(model)
        compiled = core.compile_model(model, device, properties)
    except REFUSALS as error:
        raise Unavailable(
            "OpenVINO can't read this model; of a GGUF model, take the Q8_0 or Q4_0 edition of an architecture that it"
            " knows (llama, qwen2, qwen3)"
        ) from error
    lists = {"attention_mask", "position_ids"} <= names and all("past_key_values" in state for state in states)
    return Decoder(compiled, frozenset(names | {_ROWS} if sliced else names), lists and not _slides(directory))


def _with_rows(model: Any) -> bool:
    """Let the model compute its output layer for chosen rows only. False: that layer was not found, nothing changed."""
    opset = openvino_gate.openvino().opset13
    node = model.output("logits").get_node().input_value(0).get_node()
    while node.get_type_name() in _THROUGH:
        node = node.input_value(0).get_node()
    if node.get_type_name() != "MatMul" or len(node.input_value(0).get_partial_shape()) != 3:
        return False
    rows = opset.parameter([-1], np.int64, name=_ROWS)
    rows.output(0).set_names({_ROWS})
    chosen = opset.gather(node.input_value(0), rows, opset.constant(np.int64(1)))
    node.input(0).replace_source_output(chosen.output(0))
    model.add_parameters([rows])
    model.validate_nodes_and_infer_types()
    return True


def _slides(directory: Path) -> bool:
    try:
        return _decode_config(read_plain(directory / "config.json")).slides
    except FileNotFoundError:
        return False  # of a GGUF file: llama, qwen2, qwen3, of which OpenVINO's reader knows full attention only
    except (OSError, msgspec.MsgspecError):
        return True
