"""Aider: in each project a chat history in Markdown, the prompts in a file of their own, and, if asked for, all that
was sent.

`.aider.chat.history.md`, `.aider.input.history` and what `--llm-history-file` names, usually `.aider.llm.history`. In
the chat, what the user said are lines of four hashes that end with two blanks, which a model's headings don't. What
Aider itself says is quoted; its line of tokens ends a request. Files that were added to the chat stand in the third
file alone, so without that one what they held is not seen. Turns are counted from the chat. Seen as 0.86.2 writes it.
Times are those of the sessions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from daemon.auditing.base import Answered, Event, Format, Given, Session, Where, moment
from daemon.auditing.log import Log
from daemon.auditing.places import files_below
from providers.prices import Tokens

CHAT: Final = ".aider.chat.history.md"
INPUT: Final = ".aider.input.history"
SENT: Final = ".aider.llm.history"
_BEGUN: Final = "# aider chat started at "
_USER: Final = "#### "
_MODEL: Final = re.compile(r"> (?:Main m|M)odel: (\S+)")
_TOKENS: Final = re.compile(
    r"> Tokens: ([\d.,]+[kM]?) sent(?:, ([\d.,]+[kM]?) cache write)?(?:, ([\d.,]+[kM]?) cache hit)?, ([\d.,]+[kM]?) received"
    r"(?:\. Cost: \$([\d.,]+) message)?"
)
_SENT_WITH_WORDS: Final = ("/ask", "/code", "/architect", "/context", "/help")
_TIMES: Final = {"k": 1_000, "M": 1_000_000}
_SENT_BEGUN: Final = "TO LLM "
_SENT_ENDED: Final = "LLM RESPONSE "
_ROLE: Final = re.compile(r"(?:SYSTEM|USER|TOOL|FUNCTION) ")
DEPTH: Final = 3
"""How far below the home folder projects are looked for."""


def _find(where: Where) -> Iterator[Path]:
    roots = [_root(where.folder), *where.projects, where.machine.home]
    for root in dict.fromkeys(roots):
        yield from (root / name for name in (CHAT, INPUT, SENT) if (root / name).is_file())
    yield from files_below(where.machine.home, lambda name: name in (CHAT, INPUT, SENT), depth=DEPTH, hidden=False)


def _root(folder: Path) -> Path:
    """Of the working tree that a folder is in."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)


def _knows(path: Path, head: bytes) -> bool:
    return path.name in (CHAT, INPUT, SENT) or _BEGUN.encode() in head or head.startswith(_SENT_BEGUN.encode())


def _read(log: Log) -> Iterator[Event]:
    yield Session(fresh=True, project=str(log.path.parent))
    head = log.head()
    if log.path.name == INPUT:
        yield from _prompts(log)
    elif log.path.name == SENT or head.startswith(_SENT_BEGUN.encode()):
        yield from _requests(log)
    else:
        yield from _Chat().read(log)


def _prompts(log: Log) -> Iterator[Event]:
    at = None
    lines: list[str] = []
    for line in log.texts():
        if line.startswith("+"):
            lines.append(line[1:])
            continue
        if lines:
            yield Given(("".join(lines),), at)
            lines = []
        if line.startswith("# "):
            at = moment(line[2:])
    if lines:
        yield Given(("".join(lines),), at)


def _requests(log: Log) -> Iterator[Event]:
    """Each request's whole prompt, message by message of one role."""
    at = None
    role = ""
    lines: list[str] = []
    for line in log.texts():
        if line.startswith((_SENT_BEGUN, _SENT_ENDED)):
            if lines:
                yield Given(("".join(lines),), at)
            role, lines = "", []
            at = moment(line.removeprefix(_SENT_BEGUN).removeprefix(_SENT_ENDED))
            continue
        if begins := _ROLE.match(line):
            if begins[0] != role and lines:
                yield Given(("".join(lines),), at)
                lines = []
            role = begins[0]
            lines.append(line[begins.end() :])
    if lines:
        yield Given(("".join(lines),), at)


class _Chat:
    """One chat history."""

    def __init__(self) -> None:
        self._at: datetime | None = None
        self._model: str | None = None
        self._user: list[str] = []
        self._answer_chars = 0

    def read(self, log: Log) -> Iterator[Event]:
        for line in log.texts():
            if line.startswith(_BEGUN):
                yield from self._end()
                self._at = moment(line.removeprefix(_BEGUN))
                yield Session(fresh=True, project=str(log.path.parent))
            elif line.startswith(_USER) and line.rstrip("\r\n").endswith("  "):
                if not self._user:
                    yield from self._end_answer()
                self._user.append(line[len(_USER) :].rstrip())
            else:
                yield from self._other(line)
        yield from self._end()

    def _other(self, line: str) -> Iterator[Event]:
        if not line.isspace():
            yield from self._end_words()
        if model := _MODEL.match(line):
            self._model = model[1]
        elif counts := _TOKENS.match(line):
            self._answer_chars = 0
            stored, cached = _number(counts[2]), _number(counts[3])
            tokens = Tokens(_number(counts[1]), cached, stored, 0, _number(counts[4]))
            cost = float(counts[5].replace(",", "")) if counts[5] else None
            yield Answered(self._at, self._model, _provider(self._model), tokens, cost)
        elif not line.startswith(">"):
            self._answer_chars += len(line.strip())

    def _end_words(self) -> Iterator[Event]:
        if self._user:
            text = "\n".join(self._user)
            self._user = []
            if not text.startswith("/") or text.startswith(_SENT_WITH_WORDS):
                yield Given((text,), self._at, by_user=True)

    def _end_answer(self) -> Iterator[Event]:
        """One that had no line of tokens."""
        if self._answer_chars:
            yield Answered(self._at, self._model, _provider(self._model), written_chars=self._answer_chars)
        self._answer_chars = 0

    def _end(self) -> Iterator[Event]:
        yield from self._end_words()
        yield from self._end_answer()


def _provider(model: str | None) -> str | None:
    """LiteLLM's name before the first slash."""
    return model.partition("/")[0] if model and "/" in model else None


def _number(text: str | None) -> int:
    """`2.5k` as 2500. Aider rounds, so this is the round number."""
    if not text:
        return 0
    factor = _TIMES.get(text[-1], 1)
    try:
        return round(float(text.rstrip("kM").replace(",", "")) * factor)
    except ValueError:
        return 0


AIDER: Final = Format("aider", "Aider", _find, _knows, _read)
