"""What is known of each model in use: the profile that was measured here, else the one that came along."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from daemon.confidence.judgement import Known
from daemon.confidence.outcomes import Outcome, Outcomes
from daemon.confidence.profile import Profile, read_profile
from daemon.confidence.setup import Setup, setup_of
from edge_models.catalog import ModelRef

_PACKAGE: Final = Path(__file__).parents[1]
_NOTHING: Final = Known()


def _written(file: Path) -> int | None:
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def shipped() -> Path:
    """Where profiles that come along stand, and under `recordings` what they were made of."""
    inside = _PACKAGE / "assets" / "confidence"
    return inside if inside.is_dir() else _PACKAGE.parent / "assets" / "confidence"


class Profiles:
    """Profiles by model. `learn` reads and may take a second; `known` is what was learned, at once."""

    def __init__(self, own: Path, shipped: Path) -> None:
        self.own = own
        self._shipped = shipped
        self._outcomes = Outcomes(own / "outcomes.jsonl")
        self._setups: dict[ModelRef, Setup] = {}
        self._known: dict[ModelRef, Known] = {}
        self._seen: dict[ModelRef, int | None] = {}
        """When the file was written that is known, in the file system's nanoseconds; None: there was none."""
        self._lock = threading.Lock()

    def known(self, ref: ModelRef) -> Known:
        """What was learned of a model; nothing, if nothing was."""
        return self._known.get(ref, _NOTHING)

    def learn(self, ref: ModelRef) -> None:
        """Look a model's profile up, anew if it was measured meanwhile. Blocks; fails open, to nothing."""
        with self._lock:
            try:
                setup = self._setups.get(ref) or self._setups.setdefault(ref, setup_of(ref))
                written = _written(self.file_of(setup))
                if ref in self._known and self._seen.get(ref) == written:
                    return
                self._outcomes.read()
                self._known[ref], self._seen[ref] = self._found(setup), written
            except OSError:
                self._known[ref] = _NOTHING
                self._seen.pop(ref, None)

    def file_of(self, setup: Setup) -> Path:
        """Where the profile of a setup is kept, once it was measured here."""
        return self.own / f"{setup.key}.json"

    def add(self, outcome: Outcome) -> int:
        """Take in how an answer turned out; returns how many are known of its setup and family. Blocks. Raises OSError."""
        with self._lock:
            self._outcomes.add(outcome)
            for ref, setup in self._setups.items():
                self._known[ref] = self._found(setup)
            return self._outcomes.count(outcome.setup, outcome.family)

    def outcomes_of(self, record: str) -> tuple[Outcome, ...]:
        """What was learned from one record's drafts. Blocks."""
        with self._lock:
            self._outcomes.read()
            return self._outcomes.of(record)

    def any_that_came_along(self) -> Profile | None:
        """One whose weights serve another model until it has its own."""
        return next((profile for file in sorted(self._shipped.glob("*.json")) if (profile := read_profile(file))), None)

    def _found(self, setup: Setup) -> Known:
        profile = read_profile(self.file_of(setup)) or self._that_came_along(setup)
        if profile is None:
            return _NOTHING
        key = profile.setup.key
        broken = frozenset(
            family
            for family, known in profile.families.items()
            if self._outcomes.watch(key, family, known.certificate.risk, known.certificate.delta).broken
        )
        return Known(profile, profile.setup == setup, self._outcomes.refined(key), broken)

    def _that_came_along(self, setup: Setup) -> Profile | None:
        """Of the same number of threads if there is one, else of the same file and engine."""
        here = [profile for file in sorted(self._shipped.glob("*.json")) if (profile := read_profile(file))]
        same = [each for each in here if (each.setup.file, each.setup.engine) == (setup.file, setup.engine)]
        return next((each for each in same if each.setup == setup), same[0] if same else None)
