"""OpenVINO GenAI's LLMPipeline as an engine: one request at a time, which is what an NPU runs.

Continuous batching runs on the CPU and on GPUs only ("execution device is expected to be single CPU / single GPU / multi
GPUs", openvino.genai's pipeline_impl.cpp). On an NPU, LLMPipeline is a stateful pipeline over shapes that are fixed when the
model is opened: MAX_PROMPT_LEN for the prompt and MIN_RESPONSE_LEN behind it, one request, greedy or sampled, and no
log-probabilities of single tokens. `generate` answers in one call and lets go of the GIL; it runs on a thread of its own, of
which there is never more than one, and hands each token to the owner through a queue. The same pipeline runs on the CPU if
asked for ATTENTION_BACKEND=SDPA, and that is how this module is tested; on an NPU it was never run.
"""

from __future__ import annotations

import gc
import queue
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from edge_models import openvino_gate
from edge_models.catalog import KnownModel
from edge_models.engines.base import Broken, Capabilities, Done, Prompt, Sampling, Token
from edge_models.engines.genai_text import REFUSALS, cant_open, cant_start, configured, pieces, prompt_ids

_PROMPT_TOKENS: Final = (
    2048  # the default is 1,024; OpenVINO Model Server's NPU demonstration takes 2,000 for an 8B model
)
_ANSWER_TOKENS: Final = 1024  # the default is 128, too few for code; both are memory that is taken at once
_WAIT_S: Final = 0.1
"""A step comes back after that long without a token, so that the owner hears of a cancel while a prompt is read."""

_Event = Token | Done | Broken


class _Request:
    """One request, waiting or running. ids, config: GenAI's."""

    def __init__(self, id: int, ids: Any, config: Any) -> None:
        self.id = id
        self.ids = ids
        self.config = config
        self.cancelled = False
        self.events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
        self.thread: threading.Thread | None = None


class OpenVinoStateful:
    """One pipeline. most_prompt_tokens: longer prompts are refused. entry: whose recommended sampling holds."""

    capabilities: Capabilities = Capabilities(parallel=1, logprobs="none", seed=True, penalties=True)

    def __init__(
        self, pipeline: Any, context_tokens: int, most_prompt_tokens: int, entry: KnownModel | None, device: str
    ) -> None:
        self.device = device
        self.context_tokens = context_tokens
        self._most_prompt_tokens = most_prompt_tokens
        self._pipeline = pipeline
        self._entry = entry
        self._tokenizer = pipeline.get_tokenizer()
        self.chat_template: str = self._tokenizer.chat_template or ""
        self._pieces = pieces(self._tokenizer)
        self._longest = max(map(len, self._pieces))
        self._genai = openvino_gate.genai()
        self._line: deque[_Request] = deque()
        self._leaving: threading.Thread | None = None

    def start(self, id: int, prompt: Prompt, sampling: Sampling) -> int:
        """Render, tokenise and stand in line. Raises BadPrompt, ContextTooLong."""
        ids = prompt_ids(self._tokenizer, prompt, self._most_prompt_tokens, self._longest)
        prompt_tokens = int(ids.shape[1])
        room = self.context_tokens - prompt_tokens
        config = configured(self._pipeline.get_generation_config(), sampling, self._entry, room)
        config.logprobs = 0
        try:
            config.validate()
        except REFUSALS:
            raise cant_start() from None
        if prompt_tokens == 0 or config.max_new_tokens < 1:
            raise cant_start()
        self._line.append(_Request(id, ids, config))
        return prompt_tokens

    def step(self) -> list[tuple[int, Token | Done]]:
        """The next token of the first in line. An empty list: nothing yet. Raises Broken."""
        if self._leaving and not self._gone(_WAIT_S):
            return []
        if not self._line:
            return []
        request = self._line[0]
        if request.thread is None:
            self._begin(request)
        try:
            event = request.events.get(timeout=_WAIT_S)
        except queue.Empty:
            return []
        if isinstance(event, Broken):
            raise event
        if isinstance(event, Done):
            self._leaving = self._line.popleft().thread
        return [(request.id, event)]

    def cancel(self, id: int) -> None:
        """Take a request out. One that runs ends with its next token; a prompt that is being read is read to its end."""
        request = next((request for request in self._line if request.id == id), None)
        if request is None:
            return
        self._line.remove(request)
        request.cancelled = True
        self._leaving = request.thread or self._leaving

    def close(self) -> None:
        """Let go of the pipeline and its memory."""
        for request in list(self._line):
            self.cancel(request.id)
        self._gone(None)
        self._pipeline = self._tokenizer = None
        gc.collect()

    def _begin(self, request: _Request) -> None:
        request.thread = threading.Thread(target=self._answer, args=(request,), name="generate", daemon=True)
        request.thread.start()

    def _gone(self, timeout_s: float | None) -> bool:
        """Whether the last answer's thread has ended; the next one begins only then, since two break the pipeline."""
        if self._leaving:
            self._leaving.join(timeout_s)
            if self._leaving.is_alive():
                return False
            self._leaving = None
        return True

    def _answer(self, request: _Request) -> None:
        """On the request's own thread: all of its answer."""
        try:
            result = self._pipeline.generate(request.ids, request.config, self._streamer(request))
        except REFUSALS:
            request.events.put(Broken("OpenVINO GenAI failed in mid-answer"))
            return
        length = result.finish_reasons[0] == self._genai.GenerationFinishReason.LENGTH
        request.events.put(Done("length" if length else "stop"))

    def _streamer(self, request: _Request) -> Any:
        status, table = self._genai.StreamingStatus, self._pieces

        base: Any = self._genai.StreamerBase

        class Streamer(base):  # type: ignore[misc]
            """Hands tokens to the owner; its answer tells the pipeline to stop."""

            def write(self, tokens: int | Sequence[int]) -> Any:
                for token in [tokens] if isinstance(tokens, int) else tokens:
                    request.events.put(Token(table[token]))
                return status.CANCEL if request.cancelled else status.RUNNING

            def end(self) -> None:
                """Nothing is held back."""

        return Streamer()


def opened(
    directory: Path, context_tokens: int, entry: KnownModel | None, device: str, properties: dict[str, Any]
) -> OpenVinoStateful:
    """Open a directory that OpenVINO can load on an NPU; on another device, for tests. Raises Unavailable."""
    most_prompt_tokens = min(_PROMPT_TOKENS, context_tokens)
    window = min(most_prompt_tokens + _ANSWER_TOKENS, context_tokens)
    if device.startswith("NPU"):
        shapes: dict[str, Any] = {
            "MAX_PROMPT_LEN": most_prompt_tokens,
            "MIN_RESPONSE_LEN": max(1, window - most_prompt_tokens),
        }
    else:
        shapes = {"ATTENTION_BACKEND": "SDPA"}
    try:
        pipeline = openvino_gate.genai().LLMPipeline(str(directory), device, **shapes, **properties)
    except REFUSALS as error:
        raise cant_open(device) from error
    return OpenVinoStateful(pipeline, window, most_prompt_tokens, entry, device)
