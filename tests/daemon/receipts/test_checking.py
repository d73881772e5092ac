"""Any change to the chain shows, and the first place is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.receipts.appending import Appender
from daemon.receipts.checking import check, check_export
from daemon.receipts.files import raw_lines, segments
from daemon.receipts.links import Started
from tests.fakes.clock import HeldClock


def chain(folder: Path, links: int = 9, files: int = 3) -> HeldClock:
    clock = HeldClock()
    appender = Appender(folder, clock)
    for number in range(links):
        if number and number % (links // files) == 0:
            clock.advance(86_400)
        appender.append([Started(at=clock.now(), version="1", pid=number)], durable=False)
        clock.advance(1)
    appender.close()
    return clock


def lines(folder: Path) -> list[tuple[Path, int]]:
    """All lines, as file and index in it."""
    return [(path, at) for path in segments(folder) for at in range(len(path.read_bytes().splitlines()))]


def edit(path: Path, at: int, *instead: bytes) -> None:
    """Put other lines in the place of one."""
    found = path.read_bytes().splitlines()
    found[at : at + 1] = instead
    path.write_bytes(b"".join(line + b"\n" for line in found))


def test_a_chain_that_nobody_touched_is_whole(tmp_path: Path) -> None:
    """No problem, no remark, and the head is the last line's digest."""
    chain(tmp_path)

    found = check(tmp_path)

    assert (found.whole, found.first, found.last, found.links) == (True, 1, 9, 9)
    assert (found.problems, found.remarks) == ((), ())
    assert check(tmp_path, found.head).whole


def test_no_chain_is_whole(tmp_path: Path) -> None:
    """Where nothing ever left, nothing is broken; a head that was noted is missed all the same."""
    assert check(tmp_path / "none").whole
    assert not check(tmp_path / "none", "0" * 64).whole


@pytest.mark.parametrize("number", range(1, 10))
def test_a_changed_line_is_found(tmp_path: Path, number: int) -> None:
    """Whichever it is, by the link behind it; the last one's by a head that was noted."""
    chain(tmp_path)
    head = check(tmp_path).head
    path, at = lines(tmp_path)[number - 1]
    edit(path, at, path.read_bytes().splitlines()[at].replace(b'"version":"1"', b'"version":"2"'))

    found = check(tmp_path, head)

    assert not found.whole
    if number < 9:
        assert (found.problems[0].number, f"link {number} was changed" in found.problems[0].text) == (number + 1, True)
    else:
        assert "the head that was noted" in found.problems[0].text


@pytest.mark.parametrize("number", range(1, 10))
def test_a_line_taken_out_is_found(tmp_path: Path, number: int) -> None:
    """Whichever it is."""
    chain(tmp_path)
    head = check(tmp_path).head
    path, at = lines(tmp_path)[number - 1]
    edit(path, at)

    found = check(tmp_path, head)

    assert not found.whole
    if 1 < number < 9:
        assert any(problem.number == number + 1 for problem in found.problems)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_byte_that_changes_is_found(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whichever byte becomes another one, or goes, or comes: with the head noted, no change stays unseen."""
    folder = tmp_path_factory.mktemp("chain")
    chain(folder, 6, 2)
    head = check(folder).head
    path = data.draw(st.sampled_from(segments(folder)))
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    match data.draw(st.sampled_from(["change", "remove", "insert"])):
        case "change":
            content[at] ^= data.draw(st.integers(1, 255))
        case "remove":
            del content[at]
        case _:
            content.insert(at, data.draw(st.integers(0, 255)))
    path.write_bytes(bytes(content))

    assert not check(folder, head).whole


def test_a_time_that_lost_its_zone_is_a_broken_link(tmp_path: Path) -> None:
    """It can't be compared with others, and is found as any other damage is."""
    chain(tmp_path)
    path, _ = lines(tmp_path)[4]
    path.write_bytes(path.read_bytes().replace(b'Z"', b'"', 1))

    found = check(tmp_path)

    assert not found.whole
    assert "can't be read" in found.problems[0].text


def test_the_first_broken_link_is_named_with_its_place(tmp_path: Path) -> None:
    """File, line and number."""
    chain(tmp_path)
    path, at = lines(tmp_path)[4]
    edit(path, at, b"gone")

    problem = check(tmp_path).problems[0]

    assert (problem.file, problem.line, problem.number) == (path.name, at + 1, None)
    assert problem.text == "link 5 can't be read: it was damaged or changed"


def test_a_newer_kind_of_link_is_passed_over(tmp_path: Path) -> None:
    """A link of a kind that isn't known counts, and is remarked."""
    clock = chain(tmp_path, 2, 1)
    path = segments(tmp_path)[0]
    text = path.read_bytes().replace(b'"kind":"started"', b'"kind":"whatever"')
    path.write_bytes(text.splitlines()[0] + b"\n")
    appender = Appender(tmp_path, clock)
    appender.append([Started(at=clock.now(), version="1", pid=1)], durable=False)

    found = check(tmp_path)

    assert found.whole
    assert found.links == 2
    assert "newer Nearloop" in found.remarks[0]


def test_an_export_can_be_checked_alone(tmp_path: Path) -> None:
    """Its lines are the chain's own; one that begins in the middle says so, and a change in it shows."""
    clock = chain(tmp_path / "chain")
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    whole.write_bytes(b"".join(line + b"\n" for line in raw_lines(tmp_path / "chain", None)))
    later = [line + b"\n" for line in raw_lines(tmp_path / "chain", clock.now().replace(hour=0, minute=0))]
    part.write_bytes(b"".join(later))

    assert check_export(whole).whole
    assert check_export(whole).head == check_export(part).head == check(tmp_path / "chain").head
    assert len(later) == 3
    assert check_export(part).remarks == ("it begins with link 7: what is before it was not looked at",)
    part.write_bytes(part.read_bytes().replace(b'"pid":7', b'"pid":8'))
    assert not check_export(part).whole
