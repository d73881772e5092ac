"""Recordings, with the real embedded model."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest

from daemon.certifying.own_prose import own_prose
from daemon.certifying.own_questions import own
from daemon.certifying.questions import Question
from daemon.certifying.recording import Row, Wanted, likened, record, rows
from daemon.signals.entailment import Entailment
from daemon.signals.similarity import BY_WORDS, Similarity
from edge_models.catalog import CATALOG, ModelRef

pytestmark = pytest.mark.slow

EMBEDDED = ModelRef(CATALOG[0].name, CATALOG[0].engine)


async def recorded(
    questions: list[Question],
    to: Path,
    cache: Path,
    wanted: Wanted,
    engine: str = EMBEDDED.engine,
    similarity: Similarity | None = None,
) -> list[Row]:
    async with aclosing(record(ModelRef(EMBEDDED.name, engine), questions, to, cache, (), wanted, similarity)) as steps:
        assert [step async for step in steps][-1] == (len(questions), len(questions))
    return list(rows([to]))


async def test_a_recording_goes_on_where_it_was(tmp_path: Path, model_cache: Path) -> None:
    """What is there is not asked again, a line that was cut off is asked anew, and each question stands there once."""
    to, questions = tmp_path / "rows.jsonl", own(6)
    first = await recorded(questions[:3], to, model_cache, Wanted())
    whole = to.read_bytes()
    to.write_bytes(whole + b'{"id":"own-7-5","di')

    after = await recorded(questions, to, model_cache, Wanted())

    assert [row.id for row in after[:3]] == [row.id for row in first]
    assert sorted(row.id for row in after) == sorted(question.id for question in questions)


async def test_a_row_holds_numbers_and_nobodys_words(tmp_path: Path, model_cache: Path) -> None:
    """Features, log-probabilities and agreement are there, the setup is named, and neither question nor answer is."""
    [question] = [question for question in own(60) if question.text == "What is the capital of France?"] or own(1)

    [row] = await recorded([question], tmp_path / "rows.jsonl", model_cache, Wanted(samples=2))

    assert row.answer is None
    assert question.text.encode() not in (tmp_path / "rows.jsonl").read_bytes()
    assert row.setup.file == CATALOG[0].sha256
    assert len(row.logprobs) == len(row.bearing) == row.features.tokens > 0
    assert row.samples == 2
    assert 0 <= row.agreeing <= 2
    assert 1 <= row.kinds <= 3


async def test_answers_in_prose_are_likened(tmp_path: Path, model_cache: Path) -> None:
    """Where somebody can tell how like they are, a row says how like and by whom, and holds no words all the same."""
    to, [question] = tmp_path / "rows.jsonl", own_prose(1)

    similarity = Similarity(Entailment())
    [row] = await recorded([question], to, model_cache, Wanted(samples=2), similarity=similarity)
    same, other = (
        likened(row, ("Ice melts.", "Ice melts.", text), frozenset(), similarity) for text in ("Ice melts.", "")
    )

    assert (row.family, row.alike_by) == ("prose", BY_WORDS)
    assert 0 <= row.alike <= 2
    assert 1 <= row.alike_kinds <= 3
    assert (row.answer, row.others) == (None, ())
    assert (same.alike, same.alike_kinds) == (2, 1)
    assert (other.alike, other.alike_kinds) == (1, 2)


async def test_an_engine_that_sees_all_logits_tells_more(tmp_path: Path, model_cache: Path) -> None:
    """Margins and entropies stand in the row, and the model has said whether it was right."""
    to = tmp_path / "rows.jsonl"

    [row] = await recorded(own(1), to, model_cache, Wanted(self_check=True), "openvino-raw")

    assert len(row.margins) == len(row.entropies) == row.features.tokens
    assert min(row.margins) >= 0
    assert row.features.entropy is not None
    assert row.self_check is not None
    assert row.self_check != 0
