"""A recording: how sure a model was of its answers to questions, and whether they were right, one JSON line a question.

A line holds numbers, ids and digests and nobody's words; the answers themselves stay out unless they are asked for. What
is there already is not asked again, so a recording that was broken off goes on where it was.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.certifying.questions import ANSWER_TOKENS, Question
from daemon.confidence.canonical import form_of
from daemon.confidence.families import Family
from daemon.confidence.features import Features, Generation, bears, features, words
from daemon.confidence.further import LIKENED, TEMPERATURE, Further, Kinds, compared
from daemon.confidence.recovery import CHECKPOINTS
from daemon.confidence.self_check import CHECKS, sureness
from daemon.confidence.setup import Setup, setup_of
from daemon.confidence.upstream import MARGIN_TOP
from daemon.signals.similarity import Similarity
from daemon.worker_process import WorkerProcess
from edge_models.catalog import ModelRef
from edge_models.engines.base import Sampling
from edge_models.ipc import End, Started, Text
from providers.contract import Alternative, Logprob, ProviderError, Unsupported

LOAD_S: Final = 600.0
BLOCK: Final = 96
"""Questions that are sorted among themselves, so that those with the same examples come together and share what was read."""


class Row(Struct, frozen=True, omit_defaults=True):
    """One question, asked of one setup.

    digest: of the question's words. right: whether the answer is. logprobs, margins, entropies: of each token, to four
    digits; bearing: `1` for each token that carries the answer, else `0`. agreeing: how many of `samples` further answers
    are the same in their form; kinds: how many different ones there are among all. self_check: the log-probability of
    "Yes" above that of "No". form: a digest of the answer's form, by which answers of several setups to one question
    compare. alike, alike_kinds: how like the first answer the further ones are, together, and how many kinds there are, of
    answers in prose; alike_by: who told that, empty: nobody. beginnings: what the first CHECKPOINTS tokens show, of those
    that are not the whole. answer, others: only if they were asked for.
    """

    id: str
    digest: str
    source: str
    author: str
    family: Family
    style: str
    model: str
    setup: Setup
    right: bool
    reason: str
    prompt_tokens: int
    features: Features
    logprobs: tuple[float, ...]
    bearing: str
    margins: tuple[float, ...] = ()
    entropies: tuple[float, ...] = ()
    samples: int = 0
    agreeing: int = 0
    kinds: int = 0
    self_check: float | None = None
    form: str = ""
    alike: float = 0.0
    alike_kinds: int = 0
    alike_by: str = ""
    beginnings: tuple[Features, ...] = ()
    answer: str | None = None
    others: tuple[str, ...] = ()

    @property
    def seen(self) -> Features:
        """All that there is to judge by."""
        return self.features if self.self_check is None else replace(self.features, self_check=self.self_check)


class _Answer(Struct, frozen=True):
    prompt_tokens: int
    text: str
    tokens: tuple[Logprob, ...]
    reason: str
    self_check: float | None = None


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Row).decode


def rows(files: Iterable[Path]) -> Iterator[Row]:
    """All lines of recordings, packed with gzip or not. A last line that was cut off by an end is left out."""
    for file in files:
        written = file.read_bytes()
        for line in (gzip.decompress(written) if file.suffix == ".gz" else written).split(b"\n"):
            try:
                yield _decode(line)
            except msgspec.DecodeError:
                continue


class Wanted(Struct, frozen=True):
    """How to record. samples: further answers to each question. self_check: ask the model, where its engine can score."""

    samples: int = 0
    self_check: bool = False
    keep_answers: bool = False


async def record(
    ref: ModelRef,
    questions: list[Question],
    to: Path,
    cache_dir: Path,
    keys: tuple[str, ...],
    wanted: Wanted,
    similarity: Similarity | None = None,
) -> AsyncGenerator[tuple[int, int], None]:
    """Ask what is not there yet, and append it. Yields (done, all) after each. similarity: of further answers in prose.

    Raises NoCandidate, ProviderError, and what `similarity` does.
    """
    setup, there = await asyncio.to_thread(_begun, ref, to)
    left = [question for question in questions if question.id not in there]
    done = len(questions) - len(left)
    yield done, len(questions)
    if not left:
        return
    async with _loaded(ref, cache_dir, keys) as worker:
        assert worker.ready
        parallel = worker.ready.capabilities.parallel
        with to.open("ab") as file:
            for block in _blocks(left):
                async with aclosing(_asked(worker, block, parallel, wanted)) as answers:
                    async for question, answer, others in answers:
                        row = _row(question, answer, others, ref, setup, wanted)
                        if row is not None and others and similarity and similarity.by and row.family in LIKENED:
                            texts = (answer.text, *(each.text for each in others))
                            row = await asyncio.to_thread(likened, row, texts, words(question.text), similarity)
                        if row is not None:
                            file.write(_encode(row) + b"\n")
                            file.flush()
                        done += 1
                        yield done, len(questions)


def _begun(ref: ModelRef, to: Path) -> tuple[Setup, set[str]]:
    """The setup, and which questions are in the file already. A last line that was cut off is taken away."""
    if not to.is_file():
        return setup_of(ref), set()
    written = to.read_bytes()
    if whole := written.rfind(b"\n") + 1 - len(written):
        with to.open("r+b") as file:
            file.truncate(len(written) + whole)
    return setup_of(ref), {row.id for row in rows([to])}


def _blocks(questions: list[Question]) -> Iterator[list[Question]]:
    for start in range(0, len(questions), BLOCK):
        yield sorted(questions[start : start + BLOCK], key=lambda question: (question.style, question.check))


@asynccontextmanager
async def _loaded(ref: ModelRef, cache_dir: Path, keys: tuple[str, ...]) -> AsyncGenerator[WorkerProcess, None]:
    worker = await WorkerProcess.spawn(ref, cache_dir, keys)
    errors = asyncio.create_task(worker.read_stderr())
    serving: asyncio.Task[None] | None = None
    try:
        async with asyncio.timeout(LOAD_S):
            await worker.load(lambda loading: None)
        serving = asyncio.create_task(worker.serve())
        yield worker
    finally:
        await worker.stop()
        await asyncio.gather(errors, *filter(None, (serving,)), return_exceptions=True)


async def _asked(
    worker: WorkerProcess, questions: list[Question], parallel: int, wanted: Wanted
) -> AsyncGenerator[tuple[Question, _Answer, list[_Answer]], None]:
    """Each question with its answer and the further ones, as they come; as many at once as the engine steps together."""
    ready: asyncio.Queue[tuple[Question, _Answer, list[_Answer]] | Exception] = asyncio.Queue()
    waiting = iter(questions)

    chats = await _chats(worker, questions[0])

    async def take() -> None:
        try:
            for question in waiting:
                answer = await _answer(worker, question, wanted, chats, None)
                others = [await _answer(worker, question, wanted, chats, seed) for seed in range(1, wanted.samples + 1)]
                ready.put_nowait((question, answer, others))
        except ProviderError as error:
            ready.put_nowait(error)

    tasks = [asyncio.create_task(take()) for _ in range(parallel)]
    try:
        for _ in questions:
            item = await ready.get()
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _chats(worker: WorkerProcess, question: Question) -> bool:
    """Whether a model takes turns; one that only goes on with a text is asked by one."""
    try:
        await worker.count(question.chat)
    except Unsupported:
        return False
    return True


async def _answer(worker: WorkerProcess, question: Question, wanted: Wanted, chats: bool, seed: int | None) -> _Answer:
    """One answer: greedy without a seed, else sampled with it."""
    assert worker.ready
    first, abilities = seed is None, worker.ready.capabilities
    check = first and wanted.self_check and abilities.score
    sampling = Sampling(
        max_tokens=ANSWER_TOKENS[question.style],
        temperature=0.0 if first else TEMPERATURE,
        seed=seed,
        stop=() if chats else ("\n",),
        logprobs=first,
        top_logprobs=MARGIN_TOP if first and abilities.logprobs == "top" else 0,
        keep=check,
    )
    prompt_tokens = id = 0
    text, reason, tokens = "", "", list[Logprob]()
    sure: float | None = None
    async with aclosing(worker.generate(question.chat if chats else question.completion, sampling)) as events:
        async for event in events:
            match event:
                case Started():
                    prompt_tokens, id = event.prompt_tokens, event.id
                case Text():
                    text += event.text
                    tokens += [_logprob(info.piece, info.logprob, info.top, info.entropy) for info in event.tokens]
                case End():
                    reason = event.reason
                    if check:
                        sure = sureness(await worker.score(id, CHECKS))
                case _:
                    pass
    return _Answer(prompt_tokens, text, tuple(tokens), reason, sure)


def _logprob(piece: bytes, logprob: float, top: tuple[tuple[bytes, float], ...], entropy: float | None) -> Logprob:
    return Logprob(piece, logprob, tuple(Alternative(*pair) for pair in top), entropy)


def _row(
    question: Question, answer: _Answer, others: list[_Answer], ref: ModelRef, setup: Setup, wanted: Wanted
) -> Row | None:
    """None where the model said nothing."""
    asked = words(question.text)
    seen = features(Generation(answer.tokens, answer.text, asked, answer.reason))
    if seen is None:
        return None
    form, *forms = (form_of(each.text, question.family, question.text) for each in (answer, *others))
    further = compared(form, forms)
    return Row(
        id=question.id,
        digest=question.digest,
        source=question.source,
        author=question.author,
        family=question.family,
        style=question.style,
        model=ref.name,
        setup=setup,
        right=question.right(answer.text),
        reason=answer.reason,
        prompt_tokens=answer.prompt_tokens,
        features=seen,
        logprobs=tuple(round(token.logprob, 4) for token in answer.tokens),
        bearing="".join("1" if bears(token.piece, asked) else "0" for token in answer.tokens),
        margins=tuple(
            round(token.top[0].logprob - token.top[1].logprob, 4) for token in answer.tokens if len(token.top) > 1
        ),
        entropies=tuple(round(token.entropy, 4) for token in answer.tokens if token.entropy is not None),
        samples=further.samples,
        agreeing=int(further.agreeing) if form else 0,
        kinds=further.kinds if forms else 0,
        self_check=answer.self_check,
        form=_digest(question.id, form) if form else "",
        beginnings=tuple(_beginnings(answer.tokens, asked)),
        answer=answer.text if wanted.keep_answers else None,
        others=tuple(each.text for each in others) if wanted.keep_answers else (),
    )


def likened(row: Row, texts: Sequence[str], asked: frozenset[str], similarity: Similarity) -> Row:
    """A row with how like its further answers are. texts: the first answer's and theirs. Raises what `similarity` does."""
    first, *others = (text.strip() for text in texts)
    kinds, further = Kinds(first), Further()
    for text in others:
        further = kinds.take(text, [similarity.of(text, each, asked) if text and each else 0.0 for each in kinds.each])
    return replace(row, alike=round(further.agreeing, 4), alike_kinds=further.kinds, alike_by=similarity.by)


def _beginnings(tokens: tuple[Logprob, ...], asked: frozenset[str]) -> Iterator[Features]:
    for length in CHECKPOINTS:
        if length < len(tokens):
            text = b"".join(token.piece for token in tokens[:length]).decode(errors="ignore")
            if seen := features(Generation(tokens[:length], text, asked)):
                yield seen


def _digest(id: str, form: str) -> str:
    return hashlib.sha256(f"{id}\0{form}".encode()).hexdigest()[:12]
