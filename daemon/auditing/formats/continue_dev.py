"""Continue: a JSON file for each session, and what its plugins kept for development as JSON lines.

`sessions/ID.json` and `dev_data/VERSION/chatInteraction.jsonl` under `~/.continue` or CONTINUE_GLOBAL_DIR. A tool's
result stands with the call that it answers. Sessions hold no times: the file's own is taken. Seen as the command-line
tool 1.5.47 writes it; the plugins' names of tokens are read as well. Prompts kept for development count as words that
were sent, and not as turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from daemon.auditing.base import Answered, Event, Format, Given, Session, Where, moment
from daemon.auditing.content import said, strings
from daemon.auditing.log import Log, Odd, decoded
from daemon.auditing.places import files_below
from providers.prices import Tokens

_KEPT: Final = ("chatInteraction.jsonl", "chat.jsonl")


class _Prompted(Struct, frozen=True):
    prompt: Any = None
    modelProvider: str | None = None  # noqa: N815  # theirs, as the others


class _Usage(Struct, frozen=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    promptTokens: int | None = None  # noqa: N815
    completionTokens: int | None = None  # noqa: N815
    model: str | None = None

    def tokens(self) -> Tokens:
        """In our words."""
        return Tokens(
            read=self.prompt_tokens or self.promptTokens or 0,
            written=self.completion_tokens or self.completionTokens or 0,
        )


class _Message(Struct, frozen=True):
    role: str = ""
    content: Any = None
    usage: _Usage | None = None


class _Call(Struct, frozen=True):
    output: Any = None


class _Item(Struct, frozen=True):
    message: _Message = _Message()
    contextItems: Any = None  # noqa: N815
    toolCallStates: list[_Call] | None = None  # noqa: N815
    toolCallState: _Call | None = None  # noqa: N815
    promptLogs: list[_Prompted] | None = None  # noqa: N815


class _File(Struct, frozen=True):
    history: list[msgspec.Raw]
    workspaceDirectory: str | None = None  # noqa: N815
    chatModelTitle: str | None = None  # noqa: N815


class _Kept(Struct, frozen=True):
    timestamp: Any = None
    prompt: Any = None
    data: _Prompted | None = None
    modelProvider: str | None = None  # noqa: N815


_file: Final = msgspec.json.Decoder(_File)
_item: Final = msgspec.json.Decoder(_Item)
_kept: Final = msgspec.json.Decoder(_Kept)


def _find(where: Where) -> Iterator[Path]:
    home = where.machine.told("CONTINUE_GLOBAL_DIR") or where.machine.home / ".continue"
    yield from files_below(home / "sessions", lambda name: name.endswith(".json") and name != "sessions.json")
    yield from files_below(home / "dev_data", lambda name: name in _KEPT)


def _knows(path: Path, head: bytes) -> bool:
    if path.suffix == ".jsonl":
        return path.name in _KEPT and b'"prompt"' in head
    return path.suffix == ".json" and b'"history"' in head and b'"sessionId"' in head


def _read(log: Log) -> Iterator[Event]:
    if log.path.suffix == ".jsonl":
        return _development(log)
    return _session(log)


def _development(log: Log) -> Iterator[Event]:
    yield Session(fresh=True)
    for line in log.records(_kept):
        if isinstance(line, Odd):
            yield line
            continue
        inner = line.data or _Prompted(line.prompt, line.modelProvider)
        yield Session(provider=inner.modelProvider)
        yield Given(said(inner.prompt).texts, moment(line.timestamp))


def _session(log: Log) -> Iterator[Event]:
    content = log.whole()
    if content is None:
        yield Odd()
        return
    session = decoded(_file, content, torn=not content.rstrip().endswith(b"}"))
    if isinstance(session, Odd):
        yield session
        return
    yield Session(fresh=True, project=_folder(session.workspaceDirectory))
    for raw in session.history:
        item = decoded(_item, raw)
        yield from [item] if isinstance(item, Odd) else _events(item, log)


def _events(item: _Item, log: Log) -> Iterator[Event]:
    message, at = item.message, log.modified
    for prompted in item.promptLogs or ():
        if prompted.modelProvider:
            yield Session(provider=prompted.modelProvider)
        yield Given(said(prompted.prompt).texts, at)
    match message.role:
        case "user" | "system" | "tool":
            words = said(message.content)
            texts = (*words.texts, *strings(item.contextItems))
            yield Given(texts, at, message.role == "user", opaque=words.opaque)
        case "assistant":
            usage = message.usage
            model, tokens = (usage.model, usage.tokens()) if usage else (None, None)
            written = sum(map(len, said(message.content).texts))
            yield Answered(at, model, tokens=tokens, written_chars=written)
            calls = [*(item.toolCallStates or ()), *((item.toolCallState,) if item.toolCallState else ())]
            if texts := tuple(text for call in calls for text in strings(call.output)):
                yield Given(texts, at)


def _folder(workspace: str | None) -> str | None:
    """Plugins write a URL."""
    return workspace.removeprefix("file://") if workspace else None


CONTINUE: Final = Format("continue", "Continue", _find, _knows, _read)
