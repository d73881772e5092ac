"""llama.cpp as an engine: continuous batching over one context, with the whole distribution of each token at hand.

Measured with SmolLM2-135M as Q4_1 on 2 cores (tests/bench/bench_llama.py); docs/ARCHITECTURE.md has the numbers.
- A GGUF file is used where it lies: its header is checked by our own reader first, since llama.cpp ends the process for
  some damaged files.
- A seed repeats an answer as long as the same requests run beside it: its prompt is read anew, since a cached prefix may
  move the last bits of a logit.
- When the cache is full, idle prefixes go first; then the youngest request gives up its cells and reads its tokens again
  when there is room. One request alone always fits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from edge_models import store
from edge_models.catalog import KnownModel, ModelRef
from edge_models.devices import insist
from edge_models.engines.base import (
    BadPrompt,
    Broken,
    Capabilities,
    ContextTooLong,
    Done,
    Engine,
    Prompt,
    Raw,
    Sampling,
    Stage,
    Token,
    Unavailable,
)
from edge_models.gguf_file import Header, mapped, read_header
from edge_models.grammars.schema_grammar import grammar
from edge_models.llama import library
from edge_models.llama.choices import choosing
from edge_models.llama.constraint import Constraint
from edge_models.llama.context import SEQUENCES, Context, Feed, Outcome
from edge_models.llama.requests import Request
from edge_models.llama.schedule import Pace, Share, shares
from edge_models.llama.scoring import Scoring
from edge_models.llama.sequences import Sequence, Sequences
from edge_models.llama.template import Template
from edge_models.llama.vocabulary import Vocabulary
from edge_models.messages import refuse_the_hopeless
from edge_models.sampling import Sampler

_PARALLEL: Final = 8
_MOST_CONTEXT_TOKENS: Final = 16_384  # 2.1 GB of cache for an 8B model with 8 key-value heads at 16 bits (computed)
_IDLE_TOKENS: Final = 4096
"""How much prefixes of nobody may hold: each 1,000 cost a token of SmolLM2 4 % of its time, since they are stepped over."""


class LlamaCpp:
    """One context. entry: whose recommended sampling holds; None: what the model's own file recommends."""

    capabilities: Capabilities = Capabilities(
        parallel=_PARALLEL, logprobs="top", seed=True, penalties=True, schema=True, score=True
    )

    def __init__(self, context: Context, entry: KnownModel | None) -> None:
        self.context_tokens = context.window
        self.device = context.device
        self._context = context
        self._entry = entry
        self._vocabulary = Vocabulary(context.lib, context.vocab, context.vocabulary_size)
        plain, with_tools = context.template(None), context.template("tool_use")
        begin, end = self._vocabulary.begin_and_end()
        self._template = Template(plain, begin, end)
        self._tool_template = Template(with_tools or plain, begin, end)
        self.chat_template: str = with_tools or plain
        self._sequences = Sequences(context, SEQUENCES)
        self._scoring = Scoring(context, self._sequences, self._make_room)
        self._pace = Pace()
        self._requests: dict[int, Request] = {}  # kept ones too
        self._waiting: deque[Request] = deque()
        self._running: list[Request] = []
        self._crowded = False
        self._cancelled: Callable[[int], bool] | None = None

    def heed(self, cancelled: Callable[[int], bool]) -> None:
        self._cancelled = cancelled

    def start(self, id: int, prompt: Prompt, sampling: Sampling) -> int:
        """Render, tokenise and put into line. Raises BadPrompt for an empty prompt and values out of range, too."""
        tokens = self._tokens(prompt)
        how = choosing(sampling, self._entry, self._context.number)
        if not tokens or how is None:
            raise BadPrompt(
                "the model can't start on this: the prompt may be empty, or a sampling value out of range (max_tokens"
                " at least 1, temperature 0 or more, top_p 0 to 1, penalties -2 to 2)"
            )
        room = self.context_tokens - len(tokens)
        if room < 1:
            raise ContextTooLong(len(tokens), self.context_tokens)
        wanted = sampling.max_tokens
        if wanted is None and self._entry:
            wanted = self._entry.answer_tokens
        limit = room if wanted is None else min(wanted, room)
        constraint = self._constraint(sampling.schema) if sampling.schema is not None else None
        request = Request(id, tokens, limit, sampling, Sampler(how), constraint)
        self._requests[id] = request
        self._waiting.append(request)
        return len(tokens)

    def step(self) -> list[tuple[int, Token | Done]]:
        """One batch: a token for each request that writes, and prompts beside. Empty if a cancelled prompt was left."""
        while True:
            batch = shares(self._admitted(), self._sequences, self._pace, self._context.batch_tokens)
            if not batch:
                return []
            outcome = self._decode(batch)
            if outcome == Outcome.DONE:
                break
            self._forget_what_is_uncertain(batch)
            if outcome == Outcome.ABORTED:
                return []
            self._make_room(outcome)
        events: list[tuple[int, Token | Done]] = []
        row = -1
        for share in batch:
            row += share.tokens
            if share.request.unread == 0:
                written = share.request.write(self._context.logits(row), self._vocabulary)
                events.extend((share.request.id, event) for event in written)
                if isinstance(written[-1], Done):
                    self._leave(share.request, keep=share.request.keep)
        return events

    def cancel(self, id: int) -> None:
        """Take a request out; what was read of its prompt stays for the next one that begins so."""
        request = self._requests.get(id)
        if request:
            self._leave(request, keep=False)

    def score(self, id: int, continuations: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """On a copy of the request's cache; what was evicted of a kept one is read again."""
        request = self._requests.get(id)
        if request is None:
            raise Broken("nothing is known of this request")
        return self._scoring.score(
            request.tokens, [self._vocabulary.tokens(text, special=False) for text in continuations]
        )

    def close(self) -> None:
        """Free context and model."""
        for request in self._requests.values():
            request.close()
        self._requests.clear()
        self._running.clear()
        self._waiting.clear()
        self._context.close()

    def _admitted(self) -> list[Request]:
        """Who takes part in this step. Whoever gave its cells up waits until somebody has left."""
        while self._waiting and len(self._running) < _PARALLEL and not (self._crowded and self._running):
            self._running.append(self._waiting.popleft())
        gone = self._cancelled
        return [each for each in self._running if not (gone and gone(each.id))]

    def _decode(self, batch: list[Share]) -> int:
        feeds = []
        for request, tokens in ((share.request, share.tokens) for share in batch):
            assert request.sequence
            read = len(request.sequence.tokens)
            part = request.tokens[read : read + tokens]
            feeds.append(Feed(request.sequence.number, read, part, int(tokens == request.unread)))
        readers = [share.request.id for share in batch if share.tokens > 1]
        gone = self._cancelled
        self._pace.begin()
        outcome = self._context.decode(feeds, (lambda: any(map(gone, readers))) if gone and readers else None)
        if outcome == Outcome.DONE:
            if readers:
                self._pace.end(sum(share.tokens for share in batch))
            for share, feed in zip(batch, feeds, strict=True):
                assert share.request.sequence
                share.request.sequence.tokens += feed.tokens
        return outcome

    def _make_room(self, outcome: int) -> None:
        """Something has to leave the cache. Raises Broken if it isn't for that that a batch failed."""
        if outcome != Outcome.FULL:
            raise Broken(f"llama.cpp failed in mid-answer (its code {outcome})")
        if self._sequences.evict():
            return
        placed = [each for each in self._running if each.sequence]
        if len(placed) < 2:
            raise Broken("one request alone does not fit the cache, which is sized so that it does")
        youngest = placed[-1]
        assert youngest.sequence
        self._sequences.cut(youngest.sequence, 0)
        self._sequences.release(youngest.sequence)
        youngest.sequence = None
        self._running.remove(youngest)
        self._waiting.appendleft(youngest)
        self._crowded = True

    def _forget_what_is_uncertain(self, batch: list[Share]) -> None:
        """A failed batch leaves the cache as it was, but for models that can't forget a part: those forget all of it."""
        if not self._context.partial_prefixes:
            for share in batch:
                if share.request.sequence:
                    self._sequences.cut(share.request.sequence, 0)

    def _leave(self, request: Request, *, keep: bool) -> None:
        if request.sequence:
            self._release(request.sequence)
            request.sequence = None
        if request in self._running:
            self._running.remove(request)
            self._crowded = False
        elif request in self._waiting:
            self._waiting.remove(request)
        request.close()
        if not keep:
            self._requests.pop(request.id, None)

    def _release(self, sequence: Sequence) -> None:
        self._sequences.release(sequence)
        self._sequences.trim(_IDLE_TOKENS)

    def _tokens(self, prompt: Prompt) -> list[int]:
        refuse_the_hopeless(prompt, self._vocabulary.longest_bytes(), self.context_tokens)
        if isinstance(prompt, Raw):
            text = prompt.text
        else:
            text = (self._tool_template if prompt.tools else self._template).render(prompt)
        try:
            return self._vocabulary.tokens(text, special=True)
        except UnicodeEncodeError:
            raise BadPrompt("the conversation holds characters that are none: lone surrogates") from None

    def _constraint(self, schema: str) -> Constraint:
        context = self._context
        return Constraint(context.lib, context.vocab, self._vocabulary, context.vocabulary_size, grammar(schema))


def load(model: ModelRef, cache_dir: Path, progress: Callable[[Stage, float | None], None]) -> Engine:
    """Load a known model or the user's own GGUF file. Nothing is made of it, so nothing is cached."""
    entry = store.entry_of(model)
    lib = library.llama()  # first of all: without it a file is of no use
    insist(model.device, "GPU" if lib.llama_supports_gpu_offload() else "CPU", "llama-cpp")
    progress("loading", None)
    source = store.verified(entry) if entry else Path(model.path or "")
    if source.is_dir():
        raise Unavailable("llama.cpp reads GGUF files, and this is a folder: name the file, or take openvino-genai")
    with mapped(source) as data:
        _check(read_header(data))
    return LlamaCpp(Context(source, lambda trained_tokens: min(trained_tokens, _MOST_CONTEXT_TOKENS)), entry)


def _check(header: Header) -> None:
    """Raise Unavailable for numbers that llama.cpp ends its process for."""
    architecture = header.fields.get("general.architecture")
    for field, least, most in (("block_count", 1, 512), ("expert_count", 0, 1024)):  # llama-hparams.h `LLAMA_MAX_…`
        number = header.fields.get(f"{architecture}.{field}", least)
        if not isinstance(number, int) or not least <= number <= most:
            raise Unavailable(f"the model file is damaged: its {field} is out of range; fetch it again")


def versions() -> dict[str, str]:
    """Package name to version; imports nothing heavy."""
    return library.versions()
