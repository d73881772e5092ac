"""Codex: a file of JSON lines for each session, `rollout-*.jsonl`, and the prompts of all of them in `history.jsonl`.

Both under `~/.codex` or CODEX_HOME. A line is {timestamp, type, payload}; until mid-2025 it was the payload alone. What
went out are the `response_item`s; `event_msg`s repeat them for the screen, save for `token_count`, which ends a
request. It comes again with the same totals when only the rate limits changed. Seen as 0.171.0 writes it. A prompt in
the history counts as words that were sent, and not as a turn, since its session tells that.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from daemon.auditing.base import Answered, Event, Forgotten, Format, Given, Session, Where, moment
from daemon.auditing.content import said
from daemon.auditing.log import Log, Odd, decoded
from daemon.auditing.places import files_below
from providers.prices import Tokens

HISTORY: Final = "history.jsonl"


class _Line(Struct, frozen=True):
    timestamp: Any = None
    type: str = ""
    payload: Raw = Raw(b"")
    role: str | None = None
    content: Any = None
    output: Any = None
    instructions: Any = None


class _Instructions(Struct, frozen=True):
    text: str | None = None


class _Meta(Struct, frozen=True):
    cwd: str | None = None
    model_provider: str | None = None
    instructions: str | None = None
    base_instructions: _Instructions | None = None


class _Context(Struct, frozen=True):
    cwd: str | None = None
    model: str | None = None


class _Item(Struct, frozen=True):
    type: str = ""
    role: str | None = None
    content: Any = None
    output: Any = None


class _Compacted(Struct, frozen=True):
    message: str | None = None


class _Usage(Struct, frozen=True):
    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0

    def tokens(self) -> Tokens:
        """In our words: its input holds what was cached."""
        cached, stored = self.cached_input_tokens, self.cache_write_input_tokens
        return Tokens(max(0, self.input_tokens - cached - stored), cached, stored, 0, self.output_tokens)


class _Counts(Struct, frozen=True):
    total_token_usage: _Usage | None = None
    last_token_usage: _Usage | None = None


class _Said(Struct, frozen=True):
    type: str = ""
    info: _Counts | None = None


class _Prompt(Struct, frozen=True):
    text: str = ""
    ts: Any = None


_line: Final = msgspec.json.Decoder(_Line)
_meta: Final = msgspec.json.Decoder(_Meta)
_context: Final = msgspec.json.Decoder(_Context)
_item: Final = msgspec.json.Decoder(_Item)
_compacted: Final = msgspec.json.Decoder(_Compacted)
_event: Final = msgspec.json.Decoder(_Said)
_prompt: Final = msgspec.json.Decoder(_Prompt)
_NOT_SAID: Final = (
    *("<environment_context", "<user_instructions", "# AGENTS.md", "<INSTRUCTIONS", "<permissions", "<turn_aborted"),
    *("<skill", "<subagent", "<user_shell_command", "<hook", "<collaboration_mode", "<model_switch"),
)
"""How messages in the user's name begin that the program wrote."""
_ANSWERS: Final = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "reasoning", "tool_search_call"}
)
_OUTPUTS: Final = "_output"


def _find(where: Where) -> Iterator[Path]:
    home = where.machine.told("CODEX_HOME") or where.machine.home / ".codex"
    for folder in ("sessions", "archived_sessions"):
        yield from files_below(home / folder, lambda name: name.startswith("rollout-") and name.endswith(".jsonl"))
    if (home / HISTORY).is_file():
        yield home / HISTORY


def _knows(path: Path, head: bytes) -> bool:
    if path.name == HISTORY:
        return b'"session_id"' in head and b'"text"' in head
    return path.suffix == ".jsonl" and (b'"payload"' in head or path.name.startswith("rollout-"))


def _read(log: Log) -> Iterator[Event]:
    if log.path.name == HISTORY:
        return _history(log)
    return _Rollout().read(log)


def _history(log: Log) -> Iterator[Event]:
    yield Session(fresh=True)
    for line in log.records(_prompt):
        if isinstance(line, Odd):
            yield line
        elif line.text:
            yield Given((line.text,), moment(line.ts))


class _Rollout:
    """One session. model: of the turn. bare: whether lines are payloads alone, which come without token counts.

    open: whether the model has said something since the last request ended. waiting: times of requests that have ended,
    and whose count hasn't come: it follows what the tools gave back. Where none ever comes, they count without one.
    """

    def __init__(self) -> None:
        self._model: str | None = None
        self._provider: str | None = None
        self._counted = False
        self._bare = True
        self._open = False
        self._waiting: list[datetime | None] = []
        self._total: _Usage | None = None

    def read(self, log: Log) -> Iterator[Event]:
        yield Session(fresh=True)
        for line in log.records(_line):
            if isinstance(line, Odd):
                yield line
            else:
                yield from self._line(line)
        yield from self._uncounted(None)

    def _line(self, line: _Line) -> Iterator[Event]:
        at = moment(line.timestamp)
        self._bare = self._bare and not line.payload
        match line.type:
            case "session_meta":
                meta = decoded(_meta, line.payload)
                yield from self._begin(meta, at)
            case "turn_context":
                context = decoded(_context, line.payload)
                if isinstance(context, Odd):
                    yield context
                    return
                self._model = context.model or self._model
                if context.cwd:
                    yield Session(project=context.cwd)
            case "response_item":
                item = decoded(_item, line.payload)
                yield from [item] if isinstance(item, Odd) else self._item(item, at)
            case "event_msg":
                said_here = decoded(_event, line.payload)
                if isinstance(said_here, Odd):
                    yield said_here
                elif said_here.type == "token_count" and said_here.info is not None:
                    yield from self._count(said_here.info, at)
            case "compacted":
                summary = decoded(_compacted, line.payload)
                yield Forgotten()
                if not isinstance(summary, Odd) and summary.message:
                    yield Given((summary.message,), at)
            case "" if isinstance(line.instructions, str):
                yield Given((line.instructions,), at)
            case _ if not line.payload:
                yield from self._item(_Item(line.type, line.role, line.content, line.output), at)

    def _begin(self, meta: _Meta | Odd, at: datetime | None) -> Iterator[Event]:
        if isinstance(meta, Odd):
            yield meta
            return
        self._provider = meta.model_provider
        yield Session(project=meta.cwd, provider=meta.model_provider)
        base = meta.base_instructions.text if meta.base_instructions else None
        if texts := tuple(text for text in (base, meta.instructions) if text):
            yield Given(texts, at)

    def _item(self, item: _Item, at: datetime | None) -> Iterator[Event]:
        if item.type == "message" and item.role == "assistant":
            self._open = True
        elif item.type == "message":
            words = said(item.content)
            by_user = item.role == "user" and not any(text.startswith(_NOT_SAID) for text in words.texts)
            if by_user or self._bare:
                yield from self._uncounted(at)
            yield Given(words.texts, at, by_user, opaque=words.opaque)
        elif item.type.endswith(_OUTPUTS):
            if self._bare:
                yield from self._uncounted(at)
            self._ended(at)
            words = said(item.output)
            yield Given(words.texts, at, opaque=words.opaque)
        elif item.type in _ANSWERS:
            self._open = True

    def _count(self, counts: _Counts, at: datetime | None) -> Iterator[Event]:
        self._counted = True
        last, total = counts.last_token_usage, counts.total_token_usage
        if last is None or total == self._total:
            return
        self._total, self._open = total, False
        self._waiting.clear()
        yield Answered(at, self._model, self._provider, last.tokens())

    def _ended(self, at: datetime | None) -> None:
        if self._open and not self._counted:
            self._waiting.append(at)
        self._open = False

    def _uncounted(self, at: datetime | None) -> Iterator[Event]:
        """The answers up to here, in a file that counts no tokens."""
        self._ended(at)
        yield from (Answered(each, self._model, self._provider) for each in self._waiting)
        self._waiting.clear()


CODEX: Final = Format("codex", "Codex", _find, _knows, _read)
