"""Wrong requests, each made from one number: right ones whose bodies, headers, queries and addresses are changed at random.

`case(seed)` is the same request for the same seed, on every machine and in every run.
"""

from __future__ import annotations

import gzip
import importlib
import inspect
import json
import pkgutil
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

import providers.wire
from tests.fakes.fuzz_seeds import BODIES, W

TOKEN: Final = "nl_" + "f" * 43
"""Of a client that may ask models, and nothing else."""
AUTHORIZATION: Final = (b"authorization", f"Bearer {TOKEN}".encode())
RARE: Final = re.compile(r"/(v1/(embeddings|systemone)|api/(embed|embeddings|v1/.*|copy|create|push|delete|blobs/.*))")
"""Addresses where the encoder reads, which takes many times as long as all else, and those that look at no body."""
RARELY: Final = 0.04
DEEP: Final = 140
"""Beyond the guard's limit, and far from that of Python's own recursion, which a doubled tree would reach."""


class Case(NamedTuple):
    """One request. adapter: the address that it was made for. words: what no log and no error may hold."""

    seed: int
    adapter: str
    method: str
    path: str
    query: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes
    words: str


class Raw(str):
    """JSON as it shall stand in the body, be it JSON or not."""

    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """An object that may have a key twice."""


# ---- values that somebody didn't think of ---------------------------------------------------------------------------

ATOMS: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 2, 1.5, -0.0, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**400,
    Raw("NaN"), Raw("Infinity"), Raw("-Infinity"), Raw("1e999"), Raw("-1e-999"), Raw("00"), Raw("1."), Raw("0x10"),
    Raw("undefined"), Raw(""), Raw("'x'"), Raw('"\\ud800"'), Raw('"\\udc00\\ud800"'), Raw('"\\x00"'), Raw('"\n"'),
    "", " ", "\0", "\u202e", "\ufeff", "\u2028", "\U0001f468\u200d\U0001f469", "null", "true", "[]", "{}", "0", "-1",
    "1e5", "x" * 300, "data:image/png;base64,@@@", "data:;base64,", "data:", "http://169.254.169.254/", "file:///etc/hosts",
    "../../etc", "%00", "${jndi:x}", "{{7*7}}", "2026-13-45", "-5m", "9999999999999h", "1ns", "image/../png", "application/",
    [], {}, [[]], [{}], [None], {"": None}, {"type": None}, {"type": ""}, [[[[]]]], ["", ""],
    "user", "assistant", "system", "tool", "developer", "function", "text", "image", "auto", "any", "none", "required",
    "json_object", "json_schema", "local", "auto", "cloud", "near/big", "near/", "/big", "local/", "local/play:latest",
    "nearloop/flash", "nearloop/vault", "no/such", "gpt-4o", "claude-3", "all-minilm-l6-v2", "vllm-sr/auto", "MoM",
)  # fmt: skip


@cache
def vocabulary() -> tuple[str, ...]:
    """Every name and every tag that our vendors' shapes have, in a stable order."""
    found: set[str] = set()
    for module in pkgutil.iter_modules(providers.wire.__path__):
        members = vars(importlib.import_module(f"providers.wire.{module.name}")).values()
        for member in members:
            if inspect.isclass(member) and issubclass(member, msgspec.Struct):
                found.update(member.__struct_encode_fields__)
                tag = member.__struct_config__.tag
                found.update([tag] if isinstance(tag, str) else [])
    return tuple(sorted(found))


# ---- what is done to a body's values --------------------------------------------------------------------------------

Place = tuple[Any, Any]
"""A container and a key in it."""


def places(value: Any) -> Iterator[Place]:
    """Every place in a tree."""
    if isinstance(value, Pairs):
        for number, (_, inner) in enumerate(value):
            yield (value, number)
            yield from places(inner)
    elif isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield (value, key)
            yield from places(value[key])


def get(place: Place) -> Any:
    container, key = place
    return container[key][1] if isinstance(container, Pairs) else container[key]


def put(place: Place, value: Any) -> None:
    container, key = place
    container[key] = (container[key][0], value) if isinstance(container, Pairs) else value


def _replace(draw: random.Random, place: Place, root: Any) -> None:
    put(place, _copied(draw.choice(ATOMS)))


def _delete(draw: random.Random, place: Place, root: Any) -> None:
    del place[0][place[1]]


def _twice(draw: random.Random, place: Place, root: Any) -> None:
    """An item of a list, or a whole list, again and again."""
    container, key = place
    if isinstance(container, list) and not isinstance(container, Pairs):
        container[key:key] = [_copied(container[key]) for _ in range(draw.choice((1, 1, 2, 30)))]
    elif isinstance(value := get(place), list) and not isinstance(value, Pairs):
        value.extend(_copied(value))


def _wrap(draw: random.Random, place: Place, root: Any) -> None:
    """Deeper than it was; at times deeper than anybody reads."""
    value = get(place)
    for _ in range(draw.choice((1, 1, 2, 5, 60, 130))):
        value = [value] if draw.random() < 0.5 else {draw.choice(("type", "content", "a", "properties")): value}
    put(place, value)


def _swap(draw: random.Random, place: Place, root: Any) -> None:
    """Two places' values change places; of one inside the other, a copy is taken."""
    other = draw.choice(list(places(root)))
    mine, theirs = _copied(get(place)), _copied(get(other))
    put(other, mine)
    with suppress(IndexError, KeyError):  # it was inside the other
        put(place, theirs)


def _borrow(draw: random.Random, place: Place, root: Any) -> None:
    """A part of some other request, of whatever protocol."""
    foreign = draw.choice(BODIES[draw.choice(list(BODIES))])
    found = list(places(foreign))
    if found:
        put(place, _copied(get(draw.choice(found))))


def _copy_text(draw: random.Random, place: Place, root: Any) -> None:
    """One string becomes another one of the body: ids that name themselves, results without calls, roles as texts."""
    texts = [get(each) for each in places(root) if isinstance(get(each), str)]
    if texts:
        put(place, draw.choice(texts))


def _key(draw: random.Random, place: Place, root: Any) -> None:
    """A field gets another name, or a name that is known gets a value."""
    container, key = place
    if isinstance(container, dict):
        if draw.random() < 0.5:
            container[draw.choice((*vocabulary(), W))] = container.pop(key)
        else:
            container[draw.choice(vocabulary())] = _copied(draw.choice(ATOMS))


def _duplicate_key(draw: random.Random, place: Place, root: Any) -> None:
    value = get(place)
    if isinstance(value, dict) and value:
        pairs = Pairs(value.items())
        name, inner = draw.choice(pairs)
        pairs.insert(draw.randrange(len(pairs) + 1), (name, _copied(draw.choice((inner, *ATOMS)))))
        put(place, pairs)


def _spoil_text(draw: random.Random, place: Place, root: Any) -> None:
    value = get(place)
    if not isinstance(value, str) or isinstance(value, Raw):
        return
    at = draw.randrange(len(value) + 1)
    spot = draw.choice(
        ("\0", "\ud800", "\udfff", "\x7f", "\u202e", '"', "\\", "\n", "=", "%", "é", "{W}", "[", "x" * 5000)
    )
    put(place, value[:at] + spot + value[at + draw.choice((0, 0, 1, 8)) :])


_CHANGES: Final[tuple[Callable[[random.Random, Place, Any], None], ...]] = (
    _replace, _replace, _replace, _delete, _delete, _twice, _wrap, _swap, _borrow, _copy_text, _copy_text, _key, _key,
    _duplicate_key, _spoil_text, _spoil_text,
)  # fmt: skip


def _copied(value: Any) -> Any:
    if isinstance(value, Pairs):
        return Pairs((name, _copied(inner)) for name, inner in value)
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_copied(inner) for inner in value]
    return value


def depth(value: Any) -> int:
    """How deep a tree is."""
    deepest, left = 0, [(value, 1)]
    while left:
        each, at = left.pop()
        deepest = max(deepest, at)
        if isinstance(each, Pairs):
            left += [(inner, at + 1) for _, inner in each]
        elif isinstance(each, dict | list):
            left += [(inner, at + 1) for inner in (each.values() if isinstance(each, dict) else each)]
    return deepest


def changed(draw: random.Random, body: Any) -> Any:
    """A body with some places changed."""
    root = [_copied(body)]
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        found = list(places(root))
        if not found or depth(root) > DEEP:
            break
        draw.choice(_CHANGES)(draw, draw.choice(found), root)
    return root[0] if root else Raw("")


def written(value: Any) -> str:
    """JSON, or what was meant to be."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(name)}:{written(inner)}" for name, inner in value) + "}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{written(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


# ---- what is done to its bytes --------------------------------------------------------------------------------------


def _spoilt(draw: random.Random, body: bytes) -> bytes:
    """Bytes of a body that was written well."""
    at, other = draw.randrange(len(body) + 1), draw.randrange(len(body) + 1)
    match draw.randrange(13):
        case 0:
            return body[:at]
        case 1:
            return body[:at] + bytes([draw.randrange(256)]) + body[at + 1 :]
        case 2:
            return body[:at] + draw.randbytes(draw.randrange(1, 9)) + body[at:]
        case 3:
            return b"\xef\xbb\xbf" + body
        case 4:
            return body.decode(errors="replace").encode("utf-16")
        case 5:
            return body.decode(errors="replace").encode("utf-32-be")
        case 6:
            return gzip.compress(body, 1, mtime=0)
        case 7:
            return body + draw.choice((body, b"\0", b"}", b" ", b"\n\n", b"null"))
        case 8:
            return b" " * draw.choice((1, 5000)) + body
        case 9:
            return b""
        case 10:
            return body.replace(b'"', draw.choice((b"'", b"", b'\\"')))
        case 11:
            return body[: min(at, other)] + body[max(at, other) :]
        case _:
            return (
                body[:at]
                + draw.choice((b"[" * 90, b"{" * 120, b'{"a":' * 101, b"\xed\xa0\x80", b"\xff\xfe"))
                + body[at:]
            )


# ---- the request around it ------------------------------------------------------------------------------------------

_HEADER_NAMES: Final = (
    "accept", "anthropic-beta", "anthropic-version", "authorization", "connection", "content-encoding", "content-length",
    "content-type", "cookie", "expect", "host", "if-match", "origin", "referer", "sec-fetch-site", "traceparent",
    "transfer-encoding", "user-agent", "x-api-key", "x-nearloop-project", "x-nearloop-reach", "x-session-id",
    "x-vsr-cache-control", "x-vsr-debug", "x-vsr-skip-processing", "x-stainless-retry-count",
)  # fmt: skip
_HEADER_VALUES: Final = (
    b"", b" ", b"0", b"-1", b"99999999999999999999", b"1e3", b"\xff\xfe", b"\xc3\xa9", b"x" * 4000, b"null", b"true",
    b"device", b"cloud", b"application/json", b"application/json; charset=utf-16", b"text/plain", b"multipart/form-data",
    b"application/x-www-form-urlencoded", b"application/vnd.api+json", b"gzip", b"br, gzip", b"chunked", b"evil.example",
    b"127.0.0.1:1", b"localhost", b"[::1]:9", b"https://evil.example", b"null", b"Bearer", b"Bearer ", b"Bearer nl_nope",
    b"Bearer sk-x", b"Basic Og==", b"nl_", b"Bearer nl_\xff", b"2023-06-01", b"100-continue", b"cross-site", b"a\tb",
    b"\x00", b"a;b=c", b"*/*", b"W/\"1\"",
)  # fmt: skip
_QUERIES: Final = (
    b"", b"", b"", b"beta=true", b"trace=1", b"trace=maybe", b"limit=-1", b"limit=1&order=up", b"after=%00", b"=", b"&&",
    b"%ff=%fe", b"a=" + b"x" * 3000, b"stream=true", b"limit=99999999999999999999", b"\xff", b"order=asc&limit=2",
)  # fmt: skip
_GETS: Final = (
    "/v1/models", "/v1/models/{}", "/v1/responses/{}", "/v1/responses/{}/input_items", "/api/v0/models",
    "/api/v0/models/{}", "/api/tags", "/api/ps", "/api/version", "/", "/health", "/metrics", "/nothing", "/v1/messages/{}",
)  # fmt: skip
_NAMES: Final = (
    "local",
    "local/play",
    "{KEPT}",
    "resp_0",
    "..",
    "%00",
    "a/b/c",
    "é",
    "\ud800",
    "x" * 500,
    "",
    " ",
    "*",
)
_METHODS: Final = ("GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "POST", "BREW")


def _adapter(draw: random.Random) -> str:
    """An address; those whose answers take long are drawn less often."""
    while True:
        found = draw.choice(list(BODIES))
        if not RARE.fullmatch(found) or draw.random() < RARELY:
            return found


def _headers(draw: random.Random, path: str) -> list[tuple[bytes, bytes]]:
    headers = [(b"host", b"127.0.0.1:6327"), (b"content-type", b"application/json"), (b"user-agent", b"fuzz/1")]
    if draw.random() < 0.7:
        headers.append(AUTHORIZATION)
    if path.startswith("/v1/messages") and draw.random() < 0.5:
        headers.append((b"anthropic-version", b"2023-06-01"))
    if draw.random() < 0.12:
        for _ in range(draw.choice((1, 1, 2, 4))):
            name, value = draw.choice(_HEADER_NAMES).encode(), draw.choice(_HEADER_VALUES)
            if draw.random() < 0.6:
                headers = [each for each in headers if each[0] != name]
            headers.append((name, value))
    if draw.random() < 0.02:
        headers.pop(draw.randrange(len(headers)))
    return headers


def case(seed: int) -> Case:
    """The request of one number."""
    draw = random.Random(seed)
    adapter = _adapter(draw)
    words = f"w0rds{seed:x}q"
    path = adapter.replace("{digest}", "sha256:0")
    body = draw.choice(BODIES[adapter])
    if draw.random() < 0.97:
        body = changed(draw, body)
    raw = written(body).replace(W, words).encode("utf-8", "surrogatepass")
    if draw.random() < 0.15:
        raw = _spoilt(draw, raw)
    headers = _headers(draw, path)
    method, query = "DELETE" if adapter == "/api/delete" else "POST", b""
    if draw.random() < 0.06:
        query = draw.choice(_QUERIES)
    if draw.random() < 0.03:
        method = draw.choice(_METHODS)
    if draw.random() < 0.03:
        path = draw.choice((path + "/", "/" + path, path.upper(), path + "\0", path + "/x", path[:-1], path + "/.."))
    if draw.random() < 0.04:
        adapter = "GET and DELETE"
        path, method = draw.choice(_GETS).format(draw.choice(_NAMES)), draw.choice(("GET", "GET", "HEAD", "DELETE"))
        raw, query = b"" if draw.random() < 0.9 else raw, draw.choice(_QUERIES)
    return Case(seed, adapter, method, path, query, headers, raw, words)


def private(made: Case) -> Case:
    """The same request, whose words are an e-mail address, asked of the provider."""
    words = f"{made.words}@nordhof.com"
    body = made.body.replace(made.words.encode(), words.encode()).replace(b'"model":"local"', b'"model":"near/big"')
    return made._replace(body=body, words=words)
