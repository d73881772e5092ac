"""OpenVINO without GenAI's decode loop: our own, for what needs to see every logit.

It reads the files that `openvino_genai` reads and made, and gives what that can't: alternatives and entropy of each token,
and scores of continuations on the live context. GenAI is better at many requests at once, since it reads the weights once
for all of them. Measured with SmolLM2-135M as Q8_0 in CPU time, on 2 cores shared with others (tests/bench/bench_raw.py):
- It computes in float32 and rounds neither activations nor, below float16, the cache. With OpenVINO's defaults, a token's
  log-probability moved by up to 0.16 with the pieces in which the 300 tokens before it were read; so it moves by 0.002
  (n = 16). With GenAI told to round as little, all greedy answers are equal, and log-probabilities within 0.02 (n > 60).
- Decoding runs at 0.99 of a bare loop's speed, with five alternatives and entropy too, at 0.97 if it is sampled besides;
  GenAI at 1.02 (medians of two runs of 5 rounds of 32 tokens). Less rounding made no difference to it.
- Reading a prompt takes 2.7 times as long as in GenAI (226 tokens, n = 3); with OpenVINO's rounding it would be 1.8.
- What was read stays for prompts that begin alike: 43 ms instead of 829 for 225 of 227 tokens. Scores of two words take
  2 ms, of two times five tokens 105, where reading the prompt again takes 860 (n = 3).
- A sequence of 2,000 tokens took 124 MB; the runtime makes room for about twice of what it holds, 23 kB a token.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from edge_models import openvino_gate, store
from edge_models.catalog import KnownModel, ModelRef
from edge_models.decoder import Decoder, TokenSequence, open_decoder
from edge_models.devices import CPU, insist
from edge_models.engines.base import (
    BadSchema,
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
from edge_models.engines.genai_text import REFUSALS, cant_start, configured, encoded, pieces, prompt_ids, window
from edge_models.engines.openvino_genai import open_pipeline
from edge_models.idle_sequences import IdleSequences
from edge_models.memory import GGUF_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS
from edge_models.sampling import Choosing, Logits, Sampler, details, logprobs

_PARALLEL: Final = 4
"""In turns, at the same tokens a second as one alone (33 and 32 a CPU second for 2 and 4, 35 for 1): a short question does
not wait for the end of a long answer. More would mean more states in memory and no speed."""
_CHUNK_TOKENS: Final = 128
"""How much of a prompt is read before others and a cancel have their turn. Of the speed of 1,024 at once, parts of 64, 128,
256 and 512 have 0.72, 0.79, 0.81 and 0.84 (n = 5)."""
_SCORED_TOKENS: Final = 64  # of a continuation at once: 13 MB of logits
EXACT: Final = {
    "INFERENCE_PRECISION_HINT": "f32",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
    "KV_CACHE_PRECISION": "f16",
}
"""OpenVINO's properties for logits that depend on the tokens alone."""
_STATED: Final = (
    "do_sample",
    "temperature",
    "top_p",
    "top_k",
    "repetition_penalty",
    "eos_token_id",
    "stop_token_ids",
)
"""What a model's generation_config.json says that is heeded here."""
_ALL: Final = 2**31  # GenAI's top_k for "all" is the largest number of 64 bits, which it doesn't take back
_SAVING: Final = {"enable_save_ov_model": True}


class _Request:
    """One request. unread: of the prompt, or the last token of the answer. logits: what follows all that was read."""

    def __init__(self, sequence: TokenSequence, unread: list[int], sampling: Sampling, config: Any) -> None:
        self.sequence = sequence
        self.unread = unread
        self.logits: Logits | None = None
        self.keep = sampling.keep
        self.wants = sampling.logprobs or sampling.top_logprobs > 0
        self.top = sampling.top_logprobs
        self.left = int(config.max_new_tokens)
        self.ends = frozenset({*config.stop_token_ids, int(config.eos_token_id)})
        self.sampler = Sampler(_choosing(config), (*sequence.tokens, *unread))
        self.over = False  # nothing more is generated


class OpenVinoRaw:
    """One compiled model. entry: whose recommended sampling holds; None: what `defaults` says."""

    capabilities: Capabilities = Capabilities(parallel=_PARALLEL, logprobs="top", seed=True, penalties=True, score=True)

    def __init__(
        self,
        decoder: Decoder,
        tokenizer: Any,
        defaults: Callable[[], Any],
        context_tokens: int,
        entry: KnownModel | None,
        device: str,
    ) -> None:
        self.device = device
        self.chat_template: str = tokenizer.chat_template or ""
        self.context_tokens = window(tokenizer, context_tokens)
        self._tokenizer = tokenizer
        self._defaults = defaults
        self._entry = entry
        self._pieces = pieces(tokenizer)
        self._longest = max(map(len, self._pieces))
        self._idle = IdleSequences(decoder, _PARALLEL, self.context_tokens)
        self._requests: dict[int, _Request] = {}

    def start(self, id: int, prompt: Prompt, sampling: Sampling) -> int:
        """Render and tokenise; the reading begins with `step`. Raises BadPrompt for sampling values out of range, too."""
        if sampling.schema is not None:
            raise BadSchema("this engine holds no answer to a JSON schema: use openvino-genai for this model")
        ids: list[int] = prompt_ids(self._tokenizer, prompt, self.context_tokens, self._longest).data[0].tolist()
        config = configured(self._defaults(), sampling, self._entry, self.context_tokens - len(ids))
        try:
            config.validate()
        except REFUSALS:
            raise cant_start() from None
        if not ids or config.max_new_tokens < 1:
            raise cant_start()
        # with a seed, the prompt is read anew: how it is cut into readings moves the last bits of a logit (bfloat16)
        sequence = self._idle.take(ids if sampling.seed is None else ())
        self._requests[id] = _Request(sequence, ids[len(sequence.tokens) :], sampling, config)
        return len(ids)

    def step(self) -> list[tuple[int, Token | Done]]:
        """A token for each request that has read its prompt, and up to 128 tokens of one prompt."""
        events: list[tuple[int, Token | Done]] = []
        reading = False
        for id, request in list(self._requests.items()):
            if request.over:
                continue
            if request.logits is None:
                if len(request.unread) > 1:
                    if reading:
                        continue
                    reading = True
                if not self._read(request):
                    continue
            events += [(id, event) for event in self._write(request)]
            if request.over and not request.keep:
                self.cancel(id)
        return events

    def cancel(self, id: int) -> None:
        """Drop a request; what its sequence has read stays for a prompt that begins like it."""
        request = self._requests.pop(id, None)
        if request is not None:
            self._idle.put(request.sequence)

    def score(self, id: int, continuations: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """A pass over each continuation of more than one token; one of a single token costs none, and those that differ in
        their last token alone have one pass together.

        The end-of-turn token of an answer is not part of what was written. A prompt is read to its end first.
        """
        request = self._requests.get(id)
        if request is None:
            raise Broken("nothing is known of this request")
        while request.logits is None:
            self._read(request)
        follows = request.logits = request.logits.copy()  # the runtime's own array changes with each reading
        asked = [self._ids(text) for text in continuations]
        found = [logprobs(follows[None], np.array(ids[:1])) if ids else [] for ids in asked]
        together: dict[tuple[int, ...], list[int]] = {}
        for place, ids in enumerate(asked):
            if len(ids) > 1:
                together.setdefault(tuple(ids[:-1]), []).append(place)
        for read, places in together.items():
            for part, rows in self._aside(request, read):
                for place in places:
                    found[place] += logprobs(rows, np.array(asked[place][part.start + 1 : part.stop + 1]))
        return tuple(map(tuple, found))

    def close(self) -> None:
        """Let go of the model and its memory."""
        self._requests.clear()
        self._idle.close()
        gc.collect()

    def _read(self, request: _Request) -> bool:
        """Read a part of what is unread; True: all of it is, and logits are there."""
        part, request.unread = request.unread[:_CHUNK_TOKENS], request.unread[_CHUNK_TOKENS:]
        rows = request.sequence.read(part)
        if not request.unread:
            request.logits = rows[-1, : len(self._pieces)]  # some models have more rows than tokens
        return not request.unread

    def _write(self, request: _Request) -> list[Token | Done]:
        """The next token, chosen from the logits, and the end if it is one."""
        logits = request.logits
        assert logits is not None
        chosen = request.sampler.choose(logits)
        request.sampler.took(chosen)
        request.left -= 1
        events: list[Token | Done] = [self._token(request, logits, chosen)]
        if chosen in request.ends:
            request.over = True
            request.logits = logits.copy()
            events.append(Done("stop"))
            return events
        request.unread, request.logits = [chosen], None
        if request.left == 0:
            request.over = True
            events.append(Done("length"))
        return events

    def _token(self, request: _Request, logits: Logits, chosen: int) -> Token:
        if not request.wants:
            return Token(self._pieces[chosen])
        found = details(logits, chosen, request.top)
        top = tuple((self._pieces[id], logprob) for id, logprob in found.top)
        return Token(self._pieces[chosen], found.logprob, top, found.entropy)

    def _aside(self, request: _Request, ids: Sequence[int]) -> Iterator[tuple[range, Logits]]:
        """What follows each of some tokens, were they to follow what was read: places and their logits, part by part."""
        with request.sequence.aside():
            for start in range(0, len(ids), _SCORED_TOKENS):
                part = range(start, min(start + _SCORED_TOKENS, len(ids)))
                rows = request.sequence.read(ids[part.start : part.stop], rows=len(part))
                yield part, rows[:, : len(self._pieces)]

    def _ids(self, text: str) -> list[int]:
        try:
            ids: list[int] = encoded(self._tokenizer, text).data[0].tolist()
        except REFUSALS:
            raise Broken("a continuation can't be turned into tokens") from None
        return ids


def _choosing(config: Any) -> Choosing:
    """GenAI's configuration, in our terms."""
    return Choosing(
        temperature=config.temperature if config.do_sample else 0.0,
        top_p=config.top_p,
        top_k=0 if config.top_k > _ALL else config.top_k,
        repetition_penalty=config.repetition_penalty,
        presence_penalty=config.presence_penalty,
        frequency_penalty=config.frequency_penalty,
        seed=config.rng_seed,
    )


def load(model: ModelRef, cache_dir: Path, progress: Callable[[Stage, float | None], None]) -> Engine:
    """Load a known model or the user's own file or directory; a GGUF file is converted the first time, as for GenAI."""
    entry = store.entry_of(model)
    insist(model.device, CPU, "openvino-raw")
    openvino_gate.genai()  # first of all: without it there is nothing to prepare for

    def convert(gguf: Path, context_tokens: int) -> None:
        # for the files that it writes, which are then loaded
        open_pipeline(gguf, min(context_tokens, GGUF_CONTEXT_TOKENS), _SAVING, _SAVING)

    runtime = versions().get("openvino-genai", "0")
    prepared = store.made_ready(model, cache_dir, runtime, convert, lambda f: progress("preparing", f))
    progress("loading", None)
    return opened(prepared, entry, CPU, EXACT)


def opened(prepared: store.Prepared, entry: KnownModel | None, device: str, properties: dict[str, Any]) -> OpenVinoRaw:
    """The engine over a directory that OpenVINO can load. Raises Unavailable."""
    genai = openvino_gate.genai()
    decoder = open_decoder(prepared.directory, device, {"PERFORMANCE_HINT": "LATENCY", **properties})
    file = prepared.directory / "generation_config.json"
    try:
        tokenizer = genai.Tokenizer(str(prepared.directory))
        stated = genai.GenerationConfig(str(file)) if file.is_file() else genai.GenerationConfig()
        if stated.eos_token_id < 0:
            stated.set_eos_token_id(tokenizer.get_eos_token_id())
    except REFUSALS as error:
        raise Unavailable(
            "the model's tokenizer or generation_config.json can't be read; export the model again"
        ) from error
    settings = {name: getattr(stated, name) for name in _STATED}
    if stated.top_k > _ALL:
        del settings["top_k"]

    def defaults() -> Any:
        return genai.GenerationConfig(**settings)

    return OpenVinoRaw(decoder, tokenizer, defaults, min(prepared.context_tokens, MOST_CONTEXT_TOKENS), entry, device)


def versions() -> dict[str, str]:
    """Package name to version; imports nothing heavy."""
    return openvino_gate.versions()
