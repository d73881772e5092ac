"""How events add up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.auditing.base import Answered, Event, Forgotten, Format, Given, Session
from daemon.auditing.finds import Finder
from daemon.auditing.log import Log, Odd
from daemon.auditing.report import Report, ToolCount
from daemon.auditing.staying import Device
from daemon.auditing.tally import Tally
from providers.prices import Tokens

SECRET = "DB_PASSWORD=hunter2Correct77horse"
OTHER = "DB_PASSWORD=another9Wrong88mule"
MAIL = "maria.keller@acme-gmbh.de"
AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
SMALL = Tokens(read=1000, written=100)
DEVICE = Device(8192, reading=1000.0, writing=50.0, patience_s=20.0)


class House:
    """A tally that is told events file by file."""

    def __init__(self, folder: Path, **more: object) -> None:
        self._file = folder / "log.jsonl"
        self._file.write_bytes(b"")
        self.tally = Tally(Finder(), DEVICE, **more)  # type: ignore[arg-type]

    def tell(self, *told: Event, name: str = "claude-code") -> None:
        def read(log: Log) -> Iterator[Event]:
            yield Session(fresh=True, project="/srv/project")
            yield from told

        format = Format(name, name.title(), lambda where: (), lambda path, head: False, read)
        with Log(self._file) as log:
            self.tally.take(format, log).run(lambda log: None)

    def report(self) -> Report:
        return self.tally.report(complete=True, deep=False)

    def tool(self) -> ToolCount:
        (only,) = self.report().tools
        return only


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def asked(text: str = "what?", id: str | None = None, at: datetime | None = AT) -> Given:
    return Given((text,), at, by_user=True, id=id)


def answered(
    tokens: Tokens | None = SMALL, id: str | None = None, at: datetime | None = AT, model: str = "gpt-5"
) -> Answered:
    return Answered(at, model, tokens=tokens, id=id)


def _requests(report: Report) -> dict[str, int]:
    return {each.label: each.requests for each in report.classes}


def test_a_value_goes_out_with_every_request_after_it(house: House) -> None:
    """Forty requests of one conversation are one value, and forty that carried it."""
    house.tell(asked(), answered(), Given((SECRET,), AT), *[answered()] * 40)

    report = house.report()
    assert (report.secrets, report.requests, report.exposed_requests) == (1, 41, 40)
    assert _requests(report) == {"PASSWORD": 40}


def test_compaction(house: House) -> None:
    """What was forgotten doesn't go out again."""
    house.tell(asked(SECRET), answered(), Forgotten(), answered(), answered())

    assert house.report().exposed_requests == 1


def test_distinct_values(house: House) -> None:
    """The same one twice is one, in whichever conversation or tool; classes are counted apart."""
    house.tell(asked(SECRET), answered())
    house.tell(asked(f"{SECRET} {OTHER} {MAIL}"), answered(), name="codex")

    report = house.report()
    assert {each.label: each.values for each in report.classes} == {"PASSWORD": 2, "EMAIL_ADDRESS": 1}
    assert next(each.tools for each in report.classes if each.label == "PASSWORD") == {"claude-code": 1, "codex": 2}
    assert [(tool.name, tool.secrets, tool.personal) for tool in report.tools] == [
        ("claude-code", 1, 0),
        ("codex", 2, 1),
    ]
    assert [(project.path, project.secrets, project.personal) for project in report.projects] == [
        ("/srv/project", 2, 1)
    ]


def test_threads_have_contexts_of_their_own(house: House) -> None:
    """An agent that was started doesn't send what only its starter knows, and its requests belong to the starter's turn."""
    house.tell(
        asked(SECRET),
        Given(("look around",), AT, thread="agent a"),
        Answered(AT, "gpt-5", tokens=Tokens(9000), thread="agent a"),
        answered(),
    )

    report = house.report()
    assert (report.requests, report.exposed_requests, report.turns, report.staying) == (2, 1, 1, 0)


def test_copies_of_records(house: House) -> None:
    """A resumed session repeats its beginning: turns and requests aren't counted twice, and its words go out again."""
    first = (asked(SECRET, id="u1"), answered(id="m1"))
    house.tell(*first)
    house.tell(*first, asked("and now?", id="u2"), answered(id="m2"))

    report = house.report()
    assert (report.turns, report.requests, report.exposed_requests) == (2, 2, 2)


def test_an_answer_told_in_parts(house: House) -> None:
    """Lines that repeat an answer's id are one request, with the largest usage that they tell."""
    house.tell(
        asked(),
        answered(Tokens(read=1_000_000, written=1), id="m1"),
        Given(("a result",), AT),
        answered(Tokens(read=1_000_000, written=100_000), id="m1"),
        answered(Tokens(read=1_000_000, written=5), id="m1"),
    )

    tool = house.tool()
    assert (tool.requests, tool.prompt_tokens, tool.answer_tokens, tool.priced) == (1, 1_000_000, 100_000, 1)
    assert tool.cost_usd == pytest.approx(1.25 + 1.0)


def test_turns(house: House) -> None:
    """A turn is what a user said and was answered, in however many requests; without an answer it is none."""
    house.tell(asked(), answered(), Given(("result",), AT), answered(), asked(), answered(), asked())

    assert (house.tool().turns, house.tool().requests) == (2, 3)


def test_turns_that_could_have_stayed(house: House) -> None:
    """All requests of one have to fit, by the log's tokens, else by an estimate of the words."""
    house.tell(asked(), answered(), answered(Tokens(read=9000, written=1)))
    house.tell(asked(), answered(Tokens(cached=8000, written=10)))
    house.tell(asked(), answered(None))
    house.tell(asked("word " * 20_000), answered(None))
    house.tell(asked(), answered(Tokens(read=1000, written=1000)))

    tool = house.tool()
    assert (tool.turns, tool.staying) == (5, 2)


def test_demanding_words(tmp_path: Path) -> None:
    """Where somebody knows which words ask for much, those turns don't count as easy."""
    house = House(tmp_path, demanding=lambda words: "compiler" in words)
    house.tell(asked("write a compiler"), answered(), asked("what time is it?"), answered())

    assert (house.tool().turns, house.tool().staying) == (2, 1)


def test_money(house: House) -> None:
    """As the log has it, else by the list; what neither knows isn't guessed."""
    house.tell(
        asked(),
        Answered(AT, "gpt-5", tokens=SMALL, cost_usd=1.0),
        answered(),
        answered(model="nobody-knows"),
        answered(None),
    )

    tool = house.tool()
    assert (tool.requests, tool.priced) == (4, 2)
    assert tool.cost_usd == pytest.approx(1.0 + 0.00125 + 0.001, abs=1e-4)


def test_servers_of_ones_own(house: House) -> None:
    """What went to one isn't counted as sent, as a turn or as money; what a provider gets later in that conversation is."""
    house.tell(Session(provider="ollama"), asked(SECRET), answered())
    assert (house.report().secrets, house.tool().local_requests, house.tool().requests, house.tool().turns) == (
        0,
        1,
        0,
        0,
    )

    house.tell(Session(provider="ollama"), asked(SECRET), answered(), Answered(AT, "gpt-5", "openai", SMALL))
    assert (house.report().secrets, house.report().exposed_requests) == (1, 1)


def test_since(tmp_path: Path) -> None:
    """What is older isn't counted, and what it left in the conversation is, when it goes out again."""
    house = House(tmp_path, since=AT)
    before = AT - timedelta(days=1)
    house.tell(asked(SECRET, at=before), answered(at=before), asked(MAIL, at=before), answered(at=before))
    assert (house.report().secrets, house.report().requests, house.report().first) == (0, 0, None)

    house.tell(asked(SECRET, at=before), answered(at=before), asked("go on"), answered())
    report = house.report()
    assert (report.secrets, report.personal, report.requests, report.turns, report.first) == (1, 0, 1, 1, AT)


def test_when(house: House) -> None:
    """The first and last time, of all and of each class; without any, the file's."""
    later = AT + timedelta(hours=2)
    house.tell(asked(MAIL), answered(), Given((SECRET,), later), answered(at=later))

    report = house.report()
    assert (report.first, report.last) == (AT, later)
    assert {each.label: (each.first, each.last) for each in report.classes} == {
        "PASSWORD": (later, later),
        "EMAIL_ADDRESS": (AT, later),
    }
    house.tell(asked(at=None), answered(at=None))
    assert (last := house.report().last) is not None
    assert last > later


def test_what_was_left_out(house: House) -> None:
    """Odd and torn records are counted, and pictures that nobody looked at."""
    house.tell(Odd(), Odd(), Odd(torn=True), Given(("x",), AT, opaque=3), answered())

    report = house.report()
    assert (report.skipped.records, report.skipped.torn) == (2, 1)
    assert house.tool().opaque == 3


def test_an_interrupt(house: House, tmp_path: Path) -> None:
    """What was read until then is counted, the turn that was being answered too."""

    def read(log: Log) -> Iterator[Event]:
        yield asked(SECRET)
        yield answered()
        raise KeyboardInterrupt

    format = Format("codex", "Codex", lambda where: (), lambda path, head: False, read)
    with Log(tmp_path / "log.jsonl") as log, pytest.raises(KeyboardInterrupt):
        house.tally.take(format, log).run(lambda log: None)

    report = house.tally.report(complete=False, deep=False)
    assert (report.secrets, report.turns, report.requests, report.complete) == (1, 1, 1, False)
