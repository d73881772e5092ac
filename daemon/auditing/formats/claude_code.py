"""Claude Code: a file of JSON lines for each session, and one for each agent that a session started.

`projects/FOLDER/SESSION.jsonl` and `…/subagents/agent-ID.jsonl` under `~/.claude`, `~/.config/claude` or
CLAUDE_CONFIG_DIR. An answer's blocks are lines of their own, which repeat its id and its usage. Seen as 2.1.197 writes
it. Lines of other kinds (snapshots, titles, what hooks said to the terminal) did not go out, or are repeated by those
that did.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from daemon.auditing.base import Answered, Event, Forgotten, Format, Given, Session, Where, moment
from daemon.auditing.content import said, strings
from daemon.auditing.log import Log, Odd
from daemon.auditing.places import files_below
from providers.prices import Tokens


class _Stored(Struct, frozen=True):
    ephemeral_1h_input_tokens: int | None = None


class _Usage(Struct, frozen=True):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation: _Stored | None = None

    def tokens(self) -> Tokens:
        """In our words."""
        stored = self.cache_creation_input_tokens or 0
        for_long = min(stored, (self.cache_creation and self.cache_creation.ephemeral_1h_input_tokens) or 0)
        return Tokens(
            read=self.input_tokens or 0,
            cached=self.cache_read_input_tokens or 0,
            stored=stored - for_long,
            stored_long=for_long,
            written=self.output_tokens or 0,
        )


class _Message(Struct, frozen=True):
    id: str | None = None
    model: str | None = None
    content: Any = None
    usage: _Usage | None = None


class _Line(Struct, frozen=True):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    timestamp: Any = None
    cwd: str | None = None
    agentId: str | None = None  # noqa: N815  # theirs, as the others
    isSidechain: bool | None = None  # noqa: N815
    isMeta: bool | None = None  # noqa: N815
    isCompactSummary: bool | None = None  # noqa: N815
    requestId: str | None = None  # noqa: N815
    message: _Message | None = None
    attachment: Any = None

    @property
    def thread(self) -> str:
        """A started agent has a context of its own."""
        return f"agent {self.agentId or ''}" if self.isSidechain else ""


_decoder: Final = msgspec.json.Decoder(_Line)
_NOT_SAID: Final = ("<command-", "<local-command-", "<bash-", "[Request interrupted", "<task-notification")
"""How texts begin that stand where the user's would, and that the program wrote."""
_NO_MODEL: Final = "<synthetic>"


def _find(where: Where) -> Iterator[Path]:
    told = where.machine.environment.get("CLAUDE_CONFIG_DIR", "")
    homes = [Path(each.strip()) for each in told.split(",") if each.strip()]
    for home in homes or (where.machine.home / ".claude", where.machine.config / "claude"):
        yield from files_below(home / "projects", lambda name: name.endswith(".jsonl"))


def _knows(path: Path, head: bytes) -> bool:
    return path.suffix == ".jsonl" and b'"sessionId"' in head and b'"type"' in head and b'"payload"' not in head


def _read(log: Log) -> Iterator[Event]:
    yield Session(fresh=True)
    project = None
    for line in log.records(_decoder):
        if isinstance(line, Odd):
            yield line
            continue
        if line.cwd and line.cwd != project:
            project = line.cwd
            yield Session(project=project)
        match line.type:
            case "user" if line.message is not None:
                yield from _given(line, line.message)
            case "assistant" if line.message is not None and line.message.model != _NO_MODEL:
                yield _answered(line, line.message)
            case "attachment":
                texts = strings(line.attachment)
                yield Given(texts, moment(line.timestamp), thread=line.thread, id=line.uuid)
            case "system" if line.subtype == "compact_boundary":
                yield Forgotten(line.thread)


def _given(line: _Line, message: _Message) -> Iterator[Event]:
    if line.isCompactSummary:
        yield Forgotten(line.thread)
    words = said(message.content)
    by_user = not (words.results or line.isMeta or line.isCompactSummary or line.isSidechain) and any(
        not text.startswith(_NOT_SAID) for text in words.texts
    )
    yield Given(words.texts, moment(line.timestamp), by_user, line.thread, line.uuid, words.opaque)


def _answered(line: _Line, message: _Message) -> Answered:
    usage = message.usage
    return Answered(
        at=moment(line.timestamp),
        model=message.model,
        tokens=usage.tokens() if usage is not None else None,
        thread=line.thread,
        id=f"{message.id} {line.requestId or ''}" if message.id else line.uuid,
    )


CLAUDE_CODE: Final = Format("claude-code", "Claude Code", _find, _knows, _read)
