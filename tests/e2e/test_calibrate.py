"""`nearloop calibrate`, with the real embedded model."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from daemon import power
from daemon.certifying import calibrating
from daemon.certifying.recording import rows
from daemon.cli.main import cli
from daemon.confidence.judgement import CAUTIOUS
from daemon.confidence.profile import read_profile
from daemon.confidence.profiles import Profiles, shipped
from daemon.confidence.setup import Setup, setup_of
from daemon.errors import BadRequest
from edge_models.catalog import CATALOG, ModelRef
from tests.fakes.recordings import SETUP, drawn_rows

pytestmark = pytest.mark.slow

EMBEDDED = ModelRef(CATALOG[0].name, CATALOG[0].engine)


@pytest.fixture
def home(tmp_path: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "models").symlink_to(model_cache)
    monkeypatch.setenv("NEARLOOP_HOME", str(tmp_path))
    return tmp_path


def calibrate(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["calibrate", *arguments])


def test_a_model_is_calibrated_here(home: Path) -> None:
    """Questions are asked within the time and written down; when the command is given again it goes on; families with too
    few labels are not spoken of.
    """
    first = calibrate("--force", "--minutes", "0.0001", "--questions", "12")
    then = calibrate("--force", "--questions", "12")

    assert first.exit_code == 0, first.output
    assert "too few questions of any kind" in first.output
    recording = home / "data" / "confidence" / f"{setup_of(EMBEDDED).key}.jsonl"
    assert "12 of 12 questions" in then.output
    assert not then.output.startswith("0 of")
    assert len({row.id for row in rows([recording])}) >= 12
    profile = read_profile(recording.with_suffix(".json"))
    assert profile
    assert (profile.origin, profile.families) == ("here", {})


def test_on_battery_nothing_is_measured(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command says so, and how it is done nevertheless."""
    real = power.power()
    shape = type(real)(**{**{name: getattr(real, name) for name in real.__struct_fields__}, "on_battery": True})
    monkeypatch.setattr(power, "power", lambda: shape)

    refused = calibrate()

    assert refused.exit_code != 0
    assert "--force" in str(refused.exception)


def test_an_unplugged_machine_stops_measuring(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so at the next line of progress, and asks nothing more; here nothing was asked yet, which is no profile."""
    real = power.power()
    plugged, unplugged = (
        type(real)(**{**{name: getattr(real, name) for name in real.__struct_fields__}, "on_battery": battery})
        for battery in (False, True)
    )
    found = iter([plugged])
    monkeypatch.setattr(power, "power", lambda: next(found, unplugged))

    done = calibrate("--questions", "12")

    assert done.output.startswith("0 of ")
    assert "Unplugged" in done.output
    assert isinstance(done.exception, BadRequest)
    assert not [row for file in (home / "data" / "confidence").glob("*.jsonl") for row in rows([file])]


def test_models_are_certified_behind_each_other(tmp_path: Path) -> None:
    """Whichever was calibrated last, each knows what it can promise of what the other one leaves."""
    profiles = Profiles(tmp_path / "own", tmp_path / "shipped")
    (tmp_path / "own").mkdir()
    second = Setup("e" * 64, "openvino-raw", 2)
    for setup, seed in ((SETUP, 1), (second, 2)):
        file = profiles.file_of(setup).with_suffix(".jsonl")
        drawn = (replace(row, setup=setup) for row in drawn_rows(900, seed, good=6.0))
        file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in drawn))
        calibrating.calibrated(EMBEDDED, file, profiles)

    here = {setup: read_profile(profiles.file_of(setup)) for setup in (SETUP, second)}

    for setup, other in ((SETUP, second), (second, SETUP)):
        profile, first = here[setup], here[other]
        assert profile
        assert first
        assert (shared := first.families["short"].shared)
        assert profile.behind[other.key].required["short"] == (shared.threshold or CAUTIOUS)
        assert profile.behind[other.key].certificates["short"].labels > 0


def test_few_rows_borrow_weights_and_many_have_their_own(tmp_path: Path) -> None:
    """Under LEARN_FROM rows to learn from, the weights that came along serve, and all labels calibrate and promise."""
    profiles = Profiles(tmp_path / "own", tmp_path / "shipped")
    shutil.copytree(shipped(), tmp_path / "shipped")
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    for file, count in ((few, 150), (many, 700)):
        file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in drawn_rows(count)))

    borrowed = calibrating.calibrated(EMBEDDED, few, profiles)
    own_weights = calibrating.calibrated(EMBEDDED, many, profiles)

    came_along = profiles.any_that_came_along()
    assert came_along
    assert borrowed.scorer == came_along.scorer
    assert own_weights.scorer != came_along.scorer
    assert read_profile(profiles.file_of(own_weights.setup)) == own_weights


def test_no_answer_is_no_profile(tmp_path: Path) -> None:
    """The remedy is more time."""
    with pytest.raises(BadRequest, match="more minutes"):
        calibrating.calibrated(EMBEDDED, tmp_path / "none.jsonl", Profiles(tmp_path, tmp_path))
