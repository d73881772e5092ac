"""Runs that are as long as a digest and stand where a digest, an id or a step of a protocol is meant.

A digest is as random as a key. What tells them apart is its length, in hex that of a hash function, and what its line speaks
of: `git checkout 9fc2…`, `expected 5f3a…`, `sha256 of the token: …`. Neither alone is enough.
"""

from __future__ import annotations

import re
from typing import Final

_LENGTHS: Final = frozenset({32, 40, 56, 64, 96, 128})
"""Characters in hex of MD5, SHA-1, SHA-224, -256, -384 and -512."""
_HEX: Final = re.compile(r"(?:0x)?([0-9a-f]+)", re.IGNORECASE)
_LINE_CHARS: Final = 160
_SPEAKS_OF_ONE: Final = re.compile(
    r"\bsha-?\d|\bsha\b|md5|blake|\bhash|digest|checksum|check ?sum|mismatch|commit|checkout|cherry|"
    r"revert|rebase|\bmerge|\brev\b|revision|fingerprint|thumbprint|integrity|etag|identity hash|test ?vector|"
    r"test ?case|\brfc ?\d{4}|known.answer|known_hosts|hexdigest|public ?key|\blayer|\bblob|\btree\b|\btrace|\bspan"
)
_STEP: Final = re.compile(
    r"(?:csrf|xsrf|authenticity|verification|antiforgery|idempotency|resum\w{0,6}|continuation|next(?:[_-]?page)?|page|"
    r"cursor|sync|delta|pagination|websocket|change|deletion|version|etag|nonce|state|scroll|watermark|bookmark|sec-websocket)"
    r"[_\- ]{0,2}$"
)
"""What a client hands back with its next request: it opens nothing by itself."""


def is_digest(lower: str, start: int, end: int) -> bool:
    """Whether a run of hex is a digest by its length and its line. lower: the text in small letters."""
    run = _HEX.fullmatch(lower, start, end)
    if run is None or len(run[1]) not in _LENGTHS:
        return False
    begin = max(lower.rfind("\n", 0, start) + 1, start - _LINE_CHARS)
    return _SPEAKS_OF_ONE.search(lower, begin, start) is not None


def is_step(lower: str, at: int) -> bool:
    """Whether the token or key whose name begins at a place is a step of a protocol: `nextToken`, `csrf_token`."""
    return _STEP.search(lower, max(0, at - 24), at) is not None
