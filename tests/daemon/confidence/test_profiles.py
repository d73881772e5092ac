"""What is known of each model in use."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from daemon.certifying.fit import fitted
from daemon.confidence.outcomes import Outcome
from daemon.confidence.profile import Profile, write_profile
from daemon.confidence.profiles import Profiles, shipped
from daemon.confidence.setup import Setup, setup_of
from edge_models.catalog import CATALOG, ModelRef
from tests.fakes.recordings import drawn_rows

EMBEDDED = ModelRef(CATALOG[0].name, CATALOG[0].engine)


def profile(setup: Setup, origin: str = "shipped") -> Profile:
    return replace(fitted(drawn_rows(2400, good=6.0)), setup=setup, origin=origin)


def test_what_was_measured_here_goes_before_what_came_along(tmp_path: Path) -> None:
    """Both are of the very setup; the own one holds as soon as it is there."""
    setup = setup_of(EMBEDDED)
    profiles = Profiles(tmp_path / "own", tmp_path / "shipped")
    write_profile(profile(setup), tmp_path / "shipped" / "a.json")
    profiles.learn(EMBEDDED)
    before = profiles.known(EMBEDDED)
    profiles.learn(EMBEDDED)
    assert profiles.known(EMBEDDED) is before  # nothing changed, nothing was read
    write_profile(profile(setup, "here"), profiles.file_of(setup))
    profiles.learn(EMBEDDED)
    after = profiles.known(EMBEDDED)

    assert before.profile
    assert after.profile
    assert (before.profile.origin, after.profile.origin) == ("shipped", "here")
    assert before.exact
    assert after.exact


def test_other_threads_are_told_apart(tmp_path: Path) -> None:
    """A profile of the same file and engine is used with another number of threads, and not as exact; another engine's isn't."""
    setup = setup_of(EMBEDDED)
    write_profile(profile(replace(setup, threads=setup.threads + 1)), tmp_path / "shipped" / "a.json")
    profiles = Profiles(tmp_path / "own", tmp_path / "shipped")
    other = replace(EMBEDDED, engine="openvino-raw")
    for ref in (EMBEDDED, other):
        profiles.learn(ref)

    known = profiles.known(EMBEDDED)

    assert known.profile
    assert not known.exact
    assert profiles.known(other).profile is None


def test_outcomes_take_a_promise_back(tmp_path: Path) -> None:
    """A run of wrong answers that were kept breaks it at once, for this family and setup."""
    setup = setup_of(EMBEDDED)
    write_profile(profile(setup), tmp_path / "shipped" / "a.json")
    profiles = Profiles(tmp_path / "own", tmp_path / "shipped")
    profiles.learn(EMBEDDED)
    assert profiles.known(EMBEDDED).broken == frozenset()

    counts = [
        profiles.add(Outcome(datetime.now(UTC), f"{n:016x}", setup.key, "short", 3.0, right=False, kept=True))
        for n in range(12)
    ]

    known = profiles.known(EMBEDDED)
    assert counts == list(range(1, 13))
    assert known.broken == {"short"}
    assert known.refined["short"].probability(3.0) < 0.9


def test_a_file_that_is_gone_is_known_of_nothing(tmp_path: Path) -> None:
    """Quality fails open: a model whose file can't be read is judged as one that nobody measured."""
    profiles = Profiles(tmp_path / "own", tmp_path / "shipped")
    ref = ModelRef("gone", "openvino-genai", str(tmp_path / "gone.gguf"))

    profiles.learn(ref)

    assert profiles.known(ref).profile is None


def test_the_embedded_model_has_a_profile_that_came_along(tmp_path: Path) -> None:
    """It is of the shipped file and engine, and speaks of several families."""
    profiles = Profiles(tmp_path, shipped())
    profiles.learn(EMBEDDED)
    known = profiles.known(EMBEDDED)

    assert known.profile
    assert known.profile.setup.file == CATALOG[0].sha256
    assert known.profile.setup.engine == EMBEDDED.engine
    assert len(known.profile.families) >= 3
