"""What is known of one setup, on the disk."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from daemon.certifying.fit import fitted
from daemon.confidence.profile import FORMAT, read_profile, write_profile
from daemon.confidence.scorer import Column
from tests.fakes.recordings import drawn_rows


def test_a_profile_is_read_as_it_was_written(tmp_path: Path) -> None:
    """It comes back equal, with both kinds of calibration, and states the same."""
    profile = fitted(drawn_rows(2200) + drawn_rows(300, seed=2, family="number"))
    file = tmp_path / "new" / "profile.json"

    write_profile(profile, file)

    assert read_profile(file) == profile
    assert {type(known.calibration).__name__ for known in profile.families.values()} == {"Platt", "Isotonic"}


def test_what_is_no_profile_is_none(tmp_path: Path) -> None:
    """A file that isn't there, is cut off, has another format, or names a feature that isn't known here counts as none."""
    file = tmp_path / "profile.json"
    assert read_profile(file) is None

    profile = fitted(drawn_rows(300))
    write_profile(profile, file)
    file.write_bytes(file.read_bytes()[:-20])
    assert read_profile(file) is None

    write_profile(replace(profile, format=FORMAT + 1), file)
    assert read_profile(file) is None

    stranger = replace(profile.scorer, columns=(*profile.scorer.columns, Column("charm", 1.0, 0.0, 1.0)))
    write_profile(replace(profile, scorer=stranger), file)
    assert read_profile(file) is None

    flat = replace(profile.scorer, columns=(replace(profile.scorer.columns[0], spread=0.0),))
    write_profile(replace(profile, scorer=flat), file)
    assert read_profile(file) is None

    file.write_bytes(b"[" * 100_000)
    assert read_profile(file) is None
