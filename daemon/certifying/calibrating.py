"""Calibration of a model in use: our own questions, within a time, and a profile of the answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from daemon.certifying.fit import LEARN, behind, fitted, part_of
from daemon.certifying.own_prose import own_prose
from daemon.certifying.own_questions import own
from daemon.certifying.questions import mixed
from daemon.certifying.recording import Wanted, record, rows
from daemon.confidence.profile import Profile, read_profile, write_profile
from daemon.confidence.profiles import Profiles
from daemon.errors import BadRequest
from daemon.signals.similarity import Similarity
from edge_models.catalog import ModelRef

LEARN_FROM: Final = 150
"""Rows from which weights of its own are learned; with fewer, those that came along serve."""


async def asked(
    ref: ModelRef,
    count: int,
    limit_s: float,
    to: Path,
    cache_dir: Path,
    keys: tuple[str, ...],
    samples: int = 0,
    similarity: Similarity | None = None,
) -> AsyncGenerator[tuple[int, int], None]:
    """Go on with the recording until all is asked or the time is over. Yields (done, all). samples: further answers to each.

    similarity: who tells how like those in prose are; with it, every fifth question wants a sentence. Raises NoCandidate,
    ProviderError, and what `similarity` does.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + limit_s
    prose = own_prose(count // 5) if samples and similarity and similarity.by else []
    questions = mixed([*own(count - len(prose)), *prose])
    wanted = Wanted(samples, self_check=True)
    async with aclosing(record(ref, questions, to, cache_dir, keys, wanted, similarity)) as steps:
        began = True  # the first step says what was there before; one question is asked, however short the time is
        async for step in steps:
            yield step
            if loop.time() >= end and not began:
                return
            began = False


def calibrated(ref: ModelRef, recording: Path, profiles: Profiles) -> Profile:
    """Make the profile of what was recorded, and keep it. Raises BadRequest if too little was."""
    made = list(rows([recording])) if recording.is_file() else []
    if not made:
        raise BadRequest("the model answered no question in that time: give it more minutes", "minutes")
    profiles.learn(ref)
    other = profiles.known(ref).profile or profiles.any_that_came_along()
    enough = sum(part_of(row.id) == LEARN and not row.alike_by for row in made) >= LEARN_FROM
    profile = fitted(made, "here", None if enough or other is None else other.scorer)
    file = profiles.file_of(profile.setup)
    write_profile(profile, file)
    _behind_each_other(profiles.own)
    return read_profile(file) or profile


def _behind_each_other(folder: Path) -> None:
    """What each model that was calibrated here can promise behind each other one, by the questions that both were asked.

    A new threshold of one is another residual for all.
    """
    known = {
        file: (profile, list(rows([file.with_suffix(".jsonl")])))
        for file in sorted(folder.glob("*.json"))
        if (profile := read_profile(file)) is not None and file.with_suffix(".jsonl").is_file()
    }
    for file, (profile, made) in known.items():
        found = {
            first.setup.key: behind(first, asked, profile, made)
            for first, asked in known.values()
            if first.setup != profile.setup
        }
        if found != profile.behind:
            write_profile(replace(profile, behind=found), file)
