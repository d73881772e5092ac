"""How much memory there is, of the machine and inside control groups."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from daemon.machine_memory import Memory, look, oom_kills, within

MACHINE = Memory(16_000, 9_000)


def group(root: Path, path: str, **files: str) -> None:
    """A control group's folder. files: `memory_max` stands for memory.max."""
    folder = root / path
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text)


def member(tmp_path: Path, *lines: str) -> Path:
    file = tmp_path / "cgroup"
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def test_the_machine_itself() -> None:
    """What is available is part of what there is, and there is no more of it than the machine has."""
    memory = look()

    assert 0 < memory.available_bytes <= memory.total_bytes <= psutil.virtual_memory().total


def test_a_limit_counts_with_what_can_be_dropped(tmp_path: Path) -> None:
    """In a group with a limit there is no more than it, and files that are only cached count as available."""
    group(tmp_path, "user/app", memory_max="4000\n", memory_current="3000\n", memory_stat="anon 5\ninactive_file 500\n")

    assert within(MACHINE, member(tmp_path, "0::/user/app"), tmp_path) == Memory(4_000, 1_500)


def test_a_group_above_limits_those_below(tmp_path: Path) -> None:
    """The tightest limit on the way up is what counts."""
    group(tmp_path, "user/app", memory_max="max\n", memory_current="100\n")
    group(tmp_path, "user", memory_max="5000\n", memory_current="4000\n")

    assert within(MACHINE, member(tmp_path, "0::/user/app"), tmp_path) == Memory(5_000, 1_000)


def test_the_first_version_of_control_groups(tmp_path: Path) -> None:
    """The older layout is read too, beside controllers that are not about memory."""
    stat = {"memory_stat": "total_inactive_file 200\n"}
    group(tmp_path, "memory/box", memory_limit_in_bytes="8000\n", memory_usage_in_bytes="1000\n", **stat)
    group(tmp_path, "memory", memory_limit_in_bytes=f"{2**63 - 4096}\n", memory_usage_in_bytes="99999\n")

    assert within(MACHINE, member(tmp_path, "3:cpu,cpuacct:/x", "4:memory:/box", "0::/"), tmp_path) == Memory(
        8_000, 7_200
    )


@pytest.mark.parametrize("lines", [(), ("0::/not/there",)])
def test_without_groups_it_is_the_machines(tmp_path: Path, lines: tuple[str, ...]) -> None:
    """Where no group limits, and where their files can't be read, the machine's own numbers stand."""
    assert within(MACHINE, member(tmp_path, *lines), tmp_path) == MACHINE
    assert within(MACHINE, tmp_path / "nothing", tmp_path) == MACHINE


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/vmstat is Linux's")
def test_ended_processes_are_counted() -> None:
    """The kernel's count of processes ended for lack of memory is read, and does not run backwards."""
    before = oom_kills()

    assert "oom_kill " in Path("/proc/vmstat").read_text()
    assert oom_kills() >= before >= 0
