"""OpenVINO GenAI's continuous batching as an engine.

Measured with SmolLM2-135M as Q8_0 on 2 cores (tests/bench/bench_engine.py), and why it is built so:
- The pipeline that converts a GGUF file is kept as the loaded one: it gives the same log-probabilities to the last bit
  as the files that it wrote, keeps no file open, and saves a load of 1.5 s.
- A seed repeats an answer as long as the same prefix is cached and the same requests run beside it: activations are
  quantised dynamically, so the last bits of a logit depend on what shares its matrix. Turning that off makes batches
  equal to single runs, and takes 40 % of the speed of eight requests.
- The library samples with seed 0 unless told otherwise, which would give everybody the same answer: we draw one.
- The tokenizer that it makes of a GGUF file keeps the last 8,192 tokens of a prompt and drops the rest without a word,
  whatever lengths it is asked for. So what it lets through bounds our window, and a prompt that fills it is refused.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from edge_models import openvino_gate, store
from edge_models.catalog import AUTO, KnownModel, ModelRef
from edge_models.devices import CPU, found, missing, read_table
from edge_models.engines import openvino_stateful
from edge_models.engines.base import (
    Broken,
    Capabilities,
    Done,
    Engine,
    Prompt,
    Sampling,
    Stage,
    Token,
    Unavailable,
)
from edge_models.engines.genai_text import REFUSALS, cant_open, cant_start, configured, pieces, prompt_ids, window
from edge_models.memory import GGUF_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS, WINDOWS

_PARALLEL: Final = 8
_BLOCK_TOKENS: Final = {"CPU": 32, "GPU": 16}
"""Of a key-value block. CPU: 0.417 MB of SmolLM2, from the pipeline's metrics; GPU: openvino.genai's device_config.hpp."""


class _Request:
    """One request in flight. handle: GenAI's."""

    def __init__(self, handle: Any, logprobs: bool) -> None:
        self.handle = handle
        self.logprobs = logprobs


class OpenVinoGenAI:
    """One pipeline. entry: whose recommended sampling holds; None: what the model's own files recommend."""

    capabilities: Capabilities = Capabilities(
        parallel=_PARALLEL, logprobs="chosen", seed=True, penalties=True, schema=True
    )

    def __init__(self, pipeline: Any, context_tokens: int, entry: KnownModel | None, device: str = CPU) -> None:
        self.device = device
        self._pipeline = pipeline
        self._entry = entry
        self._tokenizer = pipeline.get_tokenizer()
        self.chat_template: str = self._tokenizer.chat_template or ""
        self.context_tokens = window(self._tokenizer, context_tokens)
        self._pieces = pieces(self._tokenizer)
        self._longest = max(map(len, self._pieces))
        self._genai = openvino_gate.genai()
        self._requests: dict[int, _Request] = {}

    def start(self, id: int, prompt: Prompt, sampling: Sampling) -> int:
        """Render, tokenise and enqueue. Raises BadPrompt for an empty prompt and sampling values out of range, too."""
        ids = prompt_ids(self._tokenizer, prompt, self.context_tokens, self._longest)
        prompt_tokens = int(ids.shape[1])
        room = self.context_tokens - prompt_tokens
        # get_config gives a copy of what the model's files say, its end-of-turn tokens included
        config = configured(self._pipeline.get_config(), sampling, self._entry, room)
        try:
            handle = self._pipeline.add_request(id, ids, config)
        except REFUSALS:
            raise cant_start() from None
        self._requests[id] = _Request(handle, sampling.logprobs)
        return prompt_tokens

    def step(self) -> list[tuple[int, Token | Done]]:
        """One forward pass, with the GIL held: a token for each request that decodes, or 256 tokens of prompts."""
        if not self._requests:
            return []
        self._advance()
        events: list[tuple[int, Token | Done]] = []
        for id, request in list(self._requests.items()):
            if request.handle.can_read():
                events.extend((id, event) for event in self._read(request))
            elif request.handle.get_status() == self._genai.GenerationStatus.IGNORED:
                raise Broken("the engine dropped a request for lack of cache, which is sized so that it never has to")
            if events and events[-1][0] == id and isinstance(events[-1][1], Done):
                del self._requests[id]
        return events

    def cancel(self, id: int) -> None:
        """Drop a request; its cache blocks are free at once if it was the last one, else after the next step."""
        request = self._requests.pop(id, None)
        if request is None:
            return
        request.handle.cancel()
        if not self._requests:
            self._advance()  # GenAI gives the cache blocks back in its next step, for which nobody else would ask now

    def close(self) -> None:
        """Let go of the pipeline and its memory: 380 of 400 MB come back."""
        self._requests.clear()
        self._pipeline = self._tokenizer = None
        gc.collect()

    def _advance(self) -> None:
        try:
            self._pipeline.step()
        except REFUSALS as error:
            raise Broken("OpenVINO GenAI failed in mid-answer") from error

    def _read(self, request: _Request) -> list[Token | Done]:
        """What a handle has to tell: one token a step."""
        events: list[Token | Done] = []
        for output in request.handle.read().values():
            logprobs = output.generated_log_probs if request.logprobs else ()
            for place, token in enumerate(output.generated_ids):
                events.append(Token(self._pieces[token], min(logprobs[place], 0.0) if request.logprobs else None))
            if output.finish_reason != self._genai.GenerationFinishReason.NONE:
                length = output.finish_reason == self._genai.GenerationFinishReason.LENGTH
                events.append(Done("length" if length else "stop"))
        return events


def load(model: ModelRef, cache_dir: Path, progress: Callable[[Stage, float | None], None]) -> Engine:
    """Load a known model or the user's own file or directory; a GGUF file is converted the first time.

    Raises Unavailable if the device that is asked for is not here: nobody is served on another one without being told.
    """
    entry = store.entry_of(model)
    openvino_gate.genai()  # first of all: without it there is nothing to prepare for
    device = _device(model.device)
    converted: list[Any] = []
    saving = {"enable_save_ov_model": True}

    def convert(gguf: Path, context_tokens: int) -> None:
        converted.append(open_pipeline(gguf, min(context_tokens, GGUF_CONTEXT_TOKENS), saving, saving))

    runtime = versions().get("openvino-genai", "0")
    prepared = store.made_ready(model, cache_dir, runtime, convert, lambda f: progress("preparing", f))
    progress("loading", None)
    own_directory = model.path is not None and Path(model.path).is_dir()
    context_tokens = min(prepared.context_tokens, MOST_CONTEXT_TOKENS if own_directory else GGUF_CONTEXT_TOKENS)
    compiled = {} if device == CPU else {"CACHE_DIR": str(cache_dir / "compiled")}  # of no use on the CPU: measured
    if device.startswith("NPU"):
        converted.clear()
        return openvino_stateful.opened(prepared.directory, context_tokens, entry, device, compiled)
    if device != CPU:
        converted.clear()
    pipeline = converted.pop() if converted else open_pipeline(prepared.directory, context_tokens, compiled, {}, device)
    return OpenVinoGenAI(pipeline, context_tokens, entry, device)


def _device(wanted: str) -> str:
    """OpenVINO's name of the device to use. Raises Unavailable."""
    if wanted in (AUTO, CPU):
        return CPU
    table = read_table(openvino_gate.core(), versions().get("openvino", "0"))
    device = found(wanted, tuple(device.id for device in table.devices))
    if device is None:
        raise Unavailable(missing(wanted, tuple(f"{device.id} ({device.name})" for device in table.devices)))
    return device


def open_pipeline(
    path: Path,
    context_tokens: int,
    properties: dict[str, Any],
    tokenizer_properties: dict[str, Any],
    device: str = CPU,
) -> Any:
    """GenAI's continuous-batching pipeline over a GGUF file or a directory. Raises Unavailable if it can't be opened."""
    genai = openvino_gate.genai()
    scheduler = genai.SchedulerConfig()
    scheduler.max_num_seqs = _PARALLEL
    scheduler.enable_prefix_caching = True
    scheduler.num_kv_blocks = -(-context_tokens // _BLOCK_TOKENS[device.partition(".")[0]]) * WINDOWS
    try:
        return genai.ContinuousBatchingPipeline(str(path), scheduler, device, properties, tokenizer_properties)
    except REFUSALS as error:
        raise cant_open(device) from error


def versions() -> dict[str, str]:
    """Package name to version; imports nothing heavy."""
    return openvino_gate.versions()
