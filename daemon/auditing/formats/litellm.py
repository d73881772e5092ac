"""LiteLLM: its standard logging payloads, and rows of its table of spending, as JSON lines, an array or one object.

It keeps neither in a usual place (they go to buckets, to callbacks of one's own, to a database), so these files are
read where `--path` names them. Each record is one request with its whole conversation. Without
`store_prompts_in_spend_logs` rows hold no words, and then count as requests and money alone. Seen as 1.81.10 writes
payloads, and as its schema has the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from daemon.auditing.base import Answered, Event, Format, Given, Session, Where, moment
from daemon.auditing.content import said
from daemon.auditing.log import Log, Odd, any_json, decoded
from providers.prices import Tokens


class _Row(Struct, frozen=True):
    model: str | None = None
    custom_llm_provider: str | None = None
    messages: Any = None
    proxy_server_request: Any = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    response_cost: float | None = None
    spend: float | None = None
    startTime: Any = None  # noqa: N815  # theirs
    id: str | None = None
    request_id: str | None = None
    status: str | None = None


_row: Final = msgspec.json.Decoder(_Row)
_rows: Final = msgspec.json.Decoder(list[msgspec.Raw])
_MARKS: Final = (b'"call_type"', b'"custom_llm_provider"', b'"response_cost"', b'"spend"', b'"completion_tokens"')


def _find(where: Where) -> Iterator[Path]:
    return iter(())


def _knows(path: Path, head: bytes) -> bool:
    return path.suffix in (".json", ".jsonl", ".log") and sum(mark in head for mark in _MARKS) >= 2


def _read(log: Log) -> Iterator[Event]:
    head = log.head().lstrip()
    is_spread = head.startswith(b"{") and head[1:].lstrip(b" \t").startswith((b"\n", b"\r"))
    if is_spread or head.startswith(b"["):
        yield from _whole(log)
        return
    for row in log.records(_row):
        yield from [row] if isinstance(row, Odd) else _events(row)


def _whole(log: Log) -> Iterator[Event]:
    """An array, or an object over several lines."""
    content = log.whole()
    if content is None:
        yield Odd()
    elif content.lstrip().startswith(b"["):
        rows = decoded(_rows, content, torn=True)
        for raw in [] if isinstance(rows, Odd) else rows:
            row = decoded(_row, raw)
            yield from [row] if isinstance(row, Odd) else _events(row)
        if isinstance(rows, Odd):
            yield rows
    else:
        only = decoded(_row, content, torn=True)
        yield from [only] if isinstance(only, Odd) else _events(only)


def _events(row: _Row) -> Iterator[Event]:
    at = moment(row.startTime)
    yield Session(fresh=True, provider=row.custom_llm_provider)
    messages = _conversation(row)
    words = [(message.get("role"), said(message.get("content"))) for message in messages]
    *before, last = words or [("", said(None))]
    id = row.id or row.request_id
    sent = tuple(text for role, each in before if role != "assistant" for text in each.texts)
    yield Given(sent, at, opaque=sum(each.opaque for _, each in before))
    yield Given(last[1].texts, at, last[0] in ("user", ""), id=id and f"{id} given", opaque=last[1].opaque)
    tokens = None
    if row.prompt_tokens or row.completion_tokens:
        tokens = Tokens(read=row.prompt_tokens or 0, written=row.completion_tokens or 0)
    cost = row.response_cost if row.response_cost is not None else row.spend
    yield Answered(at, row.model, row.custom_llm_provider, tokens, cost, id=id)


def _conversation(row: _Row) -> list[dict[str, Any]]:
    """Its messages, wherever this kind of record has them."""
    for value in (row.messages, row.proxy_server_request):
        value = decoded(any_json, value.encode()) if isinstance(value, str) and value[:1] in ("[", "{") else value
        if isinstance(value, dict):
            value = value.get("messages") or value.get("input") or value.get("prompt")
        if isinstance(value, str) and value:
            return [{"role": "user", "content": value}]
        if isinstance(value, list) and value:
            return [each for each in value if isinstance(each, dict)]
    return []


LITELLM: Final = Format("litellm", "LiteLLM", _find, _knows, _read)
