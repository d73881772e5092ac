"""Adds events up to a report.

Theory of operation. Agents send the whole conversation with each request, so a value that came in once goes out again
with every request until the context is emptied. A conversation is therefore a set of finds: what is given adds to it,
each answer counts one request for every class in it, and compaction clears it. Programs copy records when a session is
resumed or forked: what bears an id that was counted is not counted anew as a turn or a request, but its words are in
the new context all the same. An answer told in parts repeats its id, and its usage grows: the largest one counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from daemon.auditing.base import Answered, Event, Forgotten, Format, Given, Session, is_local
from daemon.auditing.finds import Find
from daemon.auditing.log import Log, Odd
from daemon.auditing.report import ClassCount, ProjectCount, Report, Skipped, ToolCount
from daemon.auditing.staying import Device
from daemon.signals.context import estimate
from providers.prices import AS_OF, Tokens, price

SECRET = "secret"  # noqa: S105  # the signal's name


class Looker(Protocol):
    """Who sees what is in texts. unread: how many it could not look at."""

    unread: int

    def look(self, texts: tuple[str, ...], *, by_user: bool = False) -> frozenset[Find]:
        """All finds, each once. by_user: whether a user said them."""
        ...


class Asking(Protocol):
    """Who knows whether words ask for something demanding."""

    def __call__(self, words: str) -> bool: ...


class _Class:
    def __init__(self) -> None:
        self.values: dict[bytes, set[str]] = {}
        self.requests = 0
        self.first: datetime | None = None
        self.last: datetime | None = None

    def sent(self, at: datetime | None) -> None:
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)


class _Tool:
    def __init__(self) -> None:
        self.files = self.turns = self.staying = self.requests = self.local_requests = self.exposed = 0
        self.prompt_tokens = self.answer_tokens = self.priced = self.opaque = 0
        self.cost_usd = 0.0
        self.values: dict[bool, set[bytes]] = {True: set(), False: set()}


class _Turn:
    """From the user's words to their answer. requests: of it, that a provider answered."""

    def __init__(self, *, fits: bool) -> None:
        self.fits = fits
        self.requests = 0


class _Context:
    """What one conversation holds. tokens: estimated, for logs that count none. turn: the one that is being answered."""

    def __init__(self) -> None:
        self.finds: set[Find] = set()
        self.tokens = 0.0
        self.turn: _Turn | None = None

    def clear(self) -> None:
        self.finds.clear()
        self.tokens = 0.0


class Tally:
    """The sums of all logs. since: what is older is not counted. demanding: asked about the user's words; None: nobody
    is.
    """

    def __init__(
        self,
        looker: Looker,
        device: Device,
        *,
        since: datetime | None = None,
        demanding: Asking | None = None,
    ) -> None:
        self.looker = looker
        self.device = device
        self.since = since
        self.demanding = demanding
        self.unopened = 0
        self._odd = self._torn = 0
        self._tools: dict[str, tuple[str, _Tool]] = {}
        self._classes: dict[tuple[str, str], _Class] = {}
        self._projects: dict[str, dict[bool, set[bytes]]] = {}
        self._counted: set[int] = set()
        self._first: datetime | None = None
        self._last: datetime | None = None

    def take(self, format: Format, log: Log) -> _Reading:
        """A log that is to be counted."""
        _, tool = self._tools.setdefault(format.name, (format.title, _Tool()))
        return _Reading(self, format, log, tool)

    def projects(self) -> tuple[str, ...]:
        """Folders that logs named so far."""
        return tuple(self._projects)

    def report(self, *, complete: bool, deep: bool) -> Report:
        """What it comes to."""
        classes = [
            ClassCount(signal, label, len(found.values), found.requests, _by_tool(found), found.first, found.last)
            for (signal, label), found in self._classes.items()
        ]
        projects = [
            ProjectCount(path, len(values[True]), len(values[False]))
            for path, values in self._projects.items()
            if values[True] or values[False]
        ]
        return Report(
            complete=complete,
            deep=deep,
            first=self._first,
            last=self._last,
            classes=tuple(sorted(classes, key=lambda each: (each.signal != SECRET, -each.values, each.label))),
            tools=tuple(_tool(name, title, tool) for name, (title, tool) in self._tools.items() if tool.files),
            projects=tuple(sorted(projects, key=lambda each: (-each.secrets, -each.personal, each.path))),
            skipped=Skipped(self.unopened, self._odd, self._torn, self.looker.unread),
            device=self.device,
            prices_as_of=AS_OF,
        )

    # ---- for _Reading ------------------------------------------------------------------------------------------------

    def odd(self, event: Odd) -> None:
        """One more record that can't be read."""
        self._torn += event.torn
        self._odd += not event.torn

    def is_new(self, tool: str, id: str | None) -> bool:
        """Whether a record with this id was not counted yet; one without an id always is new."""
        if id is None:
            return True
        key = hash((tool, id))
        if key in self._counted:
            return False
        self._counted.add(key)
        return True

    def in_time(self, at: datetime | None) -> bool:
        """Whether it is young enough; what has no time is."""
        return self.since is None or at is None or at >= self.since

    def happened(self, at: datetime | None) -> None:
        """Something was sent then."""
        if at is not None:
            self._first = at if self._first is None else min(self._first, at)
            self._last = at if self._last is None else max(self._last, at)

    def found(self, finds: frozenset[Find] | set[Find], tool: str, project: str | None, at: datetime | None) -> None:
        """These values went out."""
        for find in finds:
            known = self._classes.setdefault((find.signal, find.label), _Class())
            known.values.setdefault(find.digest, set()).add(tool)
            known.sent(at)
            is_secret = find.signal == SECRET
            self._tools[tool][1].values[is_secret].add(find.digest)
            if project is not None:
                self._projects[project][is_secret].add(find.digest)

    def carried(self, finds: set[Find], at: datetime | None) -> None:
        """A request carried these."""
        for key in {(find.signal, find.label) for find in finds}:
            self._classes[key].requests += 1
            self._classes[key].sent(at)

    def worked_in(self, project: str) -> None:
        """A folder is known."""
        self._projects.setdefault(project, {True: set(), False: set()})


class _Reading:
    """One log on its way into the tally."""

    def __init__(self, tally: Tally, format: Format, log: Log, tool: _Tool) -> None:
        self._tally = tally
        self._format = format
        self._log = log
        self._tool = tool
        self._contexts: dict[str, _Context] = {}
        self._answers: dict[str, Answered] = {}
        self._project: str | None = None
        self._provider: str | None = None
        self._at: datetime | None = None

    def run(self, progress: Callable[[Log], None]) -> None:
        """Read all of it. An interrupt leaves what was counted so far."""
        self._tool.files += 1
        try:
            for event in self._format.read(self._log):
                self._take(event)
                progress(self._log)
        finally:
            self._end_turns()

    def _take(self, event: Event) -> None:
        match event:
            case Session():
                self._session(event)
            case Given():
                self._given(event)
            case Answered():
                self._answered(event)
            case Forgotten(thread=thread):
                self._context(thread).clear()
            case Odd():
                self._tally.odd(event)

    def _session(self, event: Session) -> None:
        if event.fresh:
            self._end_turns()
            self._contexts.clear()
            self._provider = None
        if event.project:
            self._project = event.project
            self._tally.worked_in(event.project)
        self._provider = event.provider or self._provider

    def _given(self, event: Given) -> None:
        at = self._now(event.at)
        context = self._context(event.thread)
        is_new = self._tally.is_new(self._format.name, event.id)
        if event.by_user and is_new:
            self._end_turn(context)
            context.turn = self._turn(event.texts) if self._tally.in_time(at) else None
        context.tokens += sum(map(estimate, event.texts))
        finds = self._tally.looker.look(event.texts, by_user=event.by_user)
        context.finds |= finds
        if not is_local(self._provider) and self._tally.in_time(at):
            self._tool.opaque += event.opaque * is_new
            self._tally.happened(at)
            self._tally.found(finds, self._format.name, self._project, at)

    def _turn(self, texts: tuple[str, ...]) -> _Turn:
        demanding = self._tally.demanding
        return _Turn(fits=demanding is None or not demanding("\n".join(texts)))

    def _answered(self, event: Answered) -> None:
        at = self._now(event.at)
        if event.id is not None and event.id in self._answers:
            self._grow(event, self._answers[event.id])
            return
        if not self._tally.is_new(self._format.name, event.id) or not self._tally.in_time(at):
            return
        if is_local(event.provider or self._provider, event.model):
            self._tool.local_requests += 1
            return
        if event.id is not None:
            self._answers[event.id] = event
        self._count(event, at)

    def _count(self, event: Answered, at: datetime | None) -> None:
        context = self._context(event.thread)
        tool = self._tool
        tool.requests += 1
        self._tally.happened(at)
        if context.finds:
            tool.exposed += 1
            self._tally.found(context.finds, self._format.name, self._project, at)
            self._tally.carried(context.finds, at)
        self._pay(event, 1)
        turn = context.turn or self._context("").turn
        if turn is not None:
            turn.requests += 1
            turn.fits = turn.fits and self._fits(event, context)
        context.tokens += event.written_chars / 4

    def _grow(self, event: Answered, before: Answered) -> None:
        """More of an answer that was counted."""
        if event.tokens is None or (before.tokens is not None and event.tokens.written <= before.tokens.written):
            return
        self._pay(before, -1)
        self._pay(event, 1)
        if event.id is not None:
            self._answers[event.id] = event

    def _pay(self, event: Answered, sign: int) -> None:
        tool, tokens = self._tool, event.tokens
        if tokens is not None:
            tool.prompt_tokens += sign * tokens.prompt
            tool.answer_tokens += sign * tokens.written
        cost = _cost(event, tokens)
        if cost is not None:
            tool.priced += sign
            tool.cost_usd += sign * cost

    def _fits(self, event: Answered, context: _Context) -> bool:
        if event.tokens is not None:
            return self._tally.device.fits(event.tokens.prompt, event.tokens.written)
        return self._tally.device.fits(round(context.tokens), round(event.written_chars / 4))

    def _end_turn(self, context: _Context) -> None:
        turn, context.turn = context.turn, None
        if turn is not None and turn.requests:
            self._tool.turns += 1
            self._tool.staying += turn.fits

    def _end_turns(self) -> None:
        for context in self._contexts.values():
            self._end_turn(context)

    def _context(self, thread: str) -> _Context:
        return self._contexts.setdefault(thread, _Context())

    def _now(self, at: datetime | None) -> datetime | None:
        """The event's time, else the last one that this log told, else the file's."""
        self._at = at or self._at
        return self._at or self._log.modified


def _cost(event: Answered, tokens: Tokens | None) -> float | None:
    """As the log has it, else by the list."""
    if event.cost_usd is not None:
        return event.cost_usd
    known = price(event.model) if event.model else None
    return known.cost_usd(tokens) if known is not None and tokens is not None else None


def _by_tool(found: _Class) -> dict[str, int]:
    return dict(sorted(Counter(tool for tools in found.values.values() for tool in tools).items()))


def _tool(name: str, title: str, tool: _Tool) -> ToolCount:
    return ToolCount(
        name=name,
        title=title,
        files=tool.files,
        turns=tool.turns,
        staying=tool.staying,
        requests=tool.requests,
        local_requests=tool.local_requests,
        exposed_requests=tool.exposed,
        prompt_tokens=tool.prompt_tokens,
        answer_tokens=tool.answer_tokens,
        priced=tool.priced,
        cost_usd=round(tool.cost_usd, 4),
        secrets=len(tool.values[True]),
        personal=len(tool.values[False]),
        opaque=tool.opaque,
    )
