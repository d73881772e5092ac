"""What a log of a coding agent tells, to the audit that reads it: a stream of small events, in the log's own order.

A reader is a pure function from a log to events. It knows one program's files and nothing of what is looked for in
them. It never raises for what stands in a file: a record that can't be read is an event too, since other versions, torn
last lines and hand-made edits are the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from daemon.auditing.log import Log, Odd
from daemon.connecting.base import Machine
from providers.prices import Tokens


class Session(Struct, frozen=True):
    """A conversation, or what has become known about it. fresh: a new one: nothing is in its context yet. project: the
    folder that the program worked in. provider: who is asked, as the log has it.
    """

    fresh: bool = False
    project: str | None = None
    provider: str | None = None


class Given(Struct, frozen=True):
    """Texts that went into a conversation's context from this machine, so out with its next request.

    by_user: the user's own words, which begin a turn. thread: which conversation, where a log has several at once. id:
    the same in every copy of this record. opaque: parts that hold no text (pictures, documents).
    """

    texts: tuple[str, ...]
    at: datetime | None = None
    by_user: bool = False
    thread: str = ""
    id: str | None = None
    opaque: int = 0


class Answered(Struct, frozen=True):
    """A request was made and answered. tokens, cost_usd: None where the log doesn't say. written_chars: of the answer.

    id: the same in every copy of this record; what is told of one answer in parts has the same as well.
    """

    at: datetime | None = None
    model: str | None = None
    provider: str | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    written_chars: int = 0
    thread: str = ""
    id: str | None = None


class Forgotten(Struct, frozen=True):
    """The context was emptied and made anew, of a summary."""

    thread: str = ""


Event = Session | Given | Answered | Forgotten | Odd


class Where(Struct, frozen=True):
    """Where to look. folder: the one that the user is in. projects: folders that other logs named."""

    machine: Machine
    folder: Path
    projects: tuple[Path, ...] = ()


class Format(Struct, frozen=True):
    """One program's logs. find: its files at their usual places. knows: whether a file is one, by its path and its
    first 4 kB.
    """

    name: str
    title: str
    find: Callable[[Where], Iterable[Path]]
    knows: Callable[[Path, bytes], bool]
    read: Callable[[Log], Iterator[Event]]


LOCAL_PROVIDERS: Final = frozenset(
    {"ollama", "ollama_chat", "oss", "lmstudio", "lm_studio", "llama.cpp", "llamafile", "nearloop"}
)
"""Names under which programs know a server of the user's own. Where it really stands, and whom it asks, no log says."""
_PREFIXES: Final = tuple(f"{name}/" for name in sorted(LOCAL_PROVIDERS))


def is_local(provider: str | None, model: str | None = None) -> bool:
    """Whether who answered is a server of the user's own, as far as the names tell."""
    if provider is not None and provider.lower() in LOCAL_PROVIDERS:
        return True
    return model is not None and model.lower().startswith(_PREFIXES)


def moment(value: Any) -> datetime | None:
    """A time as logs write it: ISO 8601 (without a zone: this machine's), or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        return datetime.fromisoformat(str(value).strip()).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
