"""Values that a machine made up, near a word that says what they open: `use the key 9fK2…`, `… is our API token`.

A generated value is told from words, names and numbers by how short the pieces are in which its letters are of one kind:
in random hex, base36, base62 or base64 digits and capitals stand far more often among small letters than in anything that a
person named. A hash, a digest, a commit or an id of a request is generated too and opens nothing, so the word decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Final

from daemon.signals.base import Found
from daemon.signals.digests import is_digest, is_step
from daemon.signals.overlaps import Vocabulary, places
from daemon.signals.vendor_tokens import entropy, looks_made_up

MIN_CHARS: Final = 16
_PIECES: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
"""What the words of an identifier are."""
_WORDS_CHARS: Final = 3.0
"""Characters of a piece, on the average. Random: base62 1.9, hex 2.1, base36 2.5. Names in code: 4 to 6."""
_SMALL_CHARS: Final = 4.0
"""The same where all letters are small or all are capitals, and two in ten characters are digits: no name has so many."""
_BEHIND_CHARS: Final = 100
_BEFORE_CHARS: Final = 70
_NEAR_CHARS: Final = 40
_VALUE: Final = re.compile(r"[A-Za-z0-9+/][A-Za-z0-9+/_.~=-]{14,198}[A-Za-z0-9+/=]")
_NAME: Final = re.compile(r"[A-Za-z_.-]{1,60}=")
"""In front of a value, in one run with it."""
_GROUND: Final = re.compile(r"[\w/@.%&#\\-]")
_AWS: Final = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+=]{40,100}(?![_.@-])")
_AWS_WORDS: Final = ("aws", "amazon", "akia", "boto", "secret")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_SPLIT: Final = re.compile(r"[-_.~+/=]+")
_NAMED: Final = re.compile(r"[a-z]{3,}|[A-Z]{4,}|[a-z]{0,12}(?:[A-Z][a-z]{2,12}){1,8}")
"""A piece of a value that is a word. Between marks random runs are hardly ever of letters alone."""
_FILE: Final = re.compile(r"\.(?:[a-z]{1,3}|json|html|yaml|toml|wasm|woff2?|webp|jpeg|map)$")
_BEHIND: Final = re.compile(
    r"[\"'`)\]]{0,3}[ \t]{0,2}(?:(?:\(|[-–—=:]|is|was|are|as|for)(?![a-z])[^\n.;]{0,36}|[^\n,;:{}\[\]\"']{0,12})$"
)
"""What stands between a value and a word behind it that names it."""

_STEMS: Final = (
    "key",
    "secret",
    "token",
    "passw",
    "credential",
    "bearer",
    "schlüssel",
    "clé ",
    "clave",
    "chiave",
    "sleutel",
    "密钥",
    "キー",
    "키",
    "cookie",
)
_WORD: Final = re.compile(
    r"(?P<key>keys?(?![a-z]))|secrets?(?![a-z])|tokens?(?![a-z])|passwords?|passwd|credentials?|bearer|schlüssel|"
    r"clé (?:d'|api|secr|priv)|clave|chiave|sleutel|密钥|キー|키|cookie[\"']?:"
)
_WHOSE: Final = re.compile(
    r"(?:api|access|secret|private|licen[sc]e|signing|encryption|auth|client|service|account|admin|master|deploy|webhook|app|"
    r"application|storage|shared|our|my|your|the|new|old|this|prod|production|live|integration)[ _-]?$"
)
"""Whose or for what a key is: by itself the word stands before names of places in tables, and before digests."""
_ADJACENT_CHARS: Final = 8
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_NO_SECRET: Final = re.compile(
    r"sha-?\d|\bsha\b|md5|hash|digest|checksum|commit|revision|\brev\b|etag|integrity|fingerprint|uu?id|guid|"
    r"nonce|csrf|public|"
    r"primary|cache|object|\bray\b|trace|span|request|build|blob|\bid\b|\bids\b|signature|version|image|layer|tree|parent|merge|"
    r"thumbprint|serial|correlation|session[_-]?id|sentinel|crc|0x$|max_|token(?:s|_ids|izer)|keyword|keyboard|"
    r"monkey|key_id|kid\b"
)


def looks_generated(value: str) -> bool:
    """Whether a value of MIN_CHARS at least is random rather than words, a name or a number."""
    if len(value) < MIN_CHARS or _UUID.search(value) or looks_made_up(value) or _FILE.search(value):
        return False
    pieces = [piece for piece in _SPLIT.split(value) if piece and not _NAMED.fullmatch(piece)]
    return bool(pieces) and (_is_random("".join(pieces)) or _is_random(max(pieces, key=len)))


def _is_random(run: str) -> bool:
    """run: letters and digits. Words keep their letters together, however they are put together."""
    if len(run) < MIN_CHARS:
        return False
    chars = len(run) / max(1, len(_PIECES.findall(run)))
    if chars > _SMALL_CHARS:
        return False
    digits = sum(map(str.isdigit, run))
    if not (run.islower() or run.isupper()):
        random = chars <= _WORDS_CHARS and digits < len(run)
    else:
        random = (digits >= 2 and chars <= _WORDS_CHARS) or digits >= 0.15 * len(run)
    return random and entropy(run) >= 3.0


def generated(text: str, lower: str, vocabulary: Vocabulary, known: Set[int]) -> Iterator[Found]:
    """lower: the text in small letters, at the same length. vocabulary: its own. known: where values begin
    that were found already.
    """
    done: set[int] = set()
    for at in places(lower, vocabulary.said(_STEMS)):
        word = _WORD.match(lower, at)
        if word is None or is_step(lower, at):
            continue
        alone = word["key"] is not None and not _WHOSE.search(lower, max(0, at - 14), at)
        start, end = (at, word.end() + _ADJACENT_CHARS + 200) if alone else _line(text, at)
        for hit in _VALUE.finditer(text, start, end):
            begin, last = _value(*hit.span(), hit[0])
            if alone and begin > word.end() + _ADJACENT_CHARS:
                break
            if begin in known or begin in done or hit[0][:2] == "//" or not _is_alone(text, *hit.span()):
                continue
            done.add(begin)
            if not looks_generated(text[begin:last]) or (alone and _HEX.fullmatch(text, begin, last)):
                continue
            if _opens(lower, begin, last, at) and not is_digest(lower, begin, last):
                yield Found(begin, last, "API_KEY")


def lone_aws_secrets(text: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """40 characters of base64, which no name, path or hash is, anywhere in a text that speaks of such keys."""
    if not vocabulary.says(_AWS_WORDS):
        return
    for run in _AWS.finditer(text):
        start, end = _value(*run.span(), run[0])
        value = text[start:end]
        if len(value) != 40 or (start == run.start() and start and text[start - 1] in "_.@-\\%&"):
            continue
        kinds = (any(map(str.isupper, value)), any(map(str.islower, value)), any(map(str.isdigit, value)))
        if all(kinds) and entropy(value) >= 4.2 and looks_generated(value):
            yield Found(start, end, "AWS_SECRET_KEY")


def _value(start: int, end: int, run: str) -> tuple[int, int]:
    """A run without the name that it may begin with."""
    name = _NAME.match(run)
    return (start + name.end(), end) if name else (start, end)


def _line(text: str, at: int) -> tuple[int, int]:
    """The part of the same line around a word in which a value may stand, and a line more where this one ends with it."""
    start = max(at - _BEFORE_CHARS, text.rfind("\n", 0, at) + 1, 0)
    end = text.find("\n", at, at + _BEHIND_CHARS)
    if 0 <= end <= at + 40:  # a label, and its value below it
        end = text.find("\n", end + 1, end + 1 + _BEHIND_CHARS)
    return start, end if end >= 0 else min(len(text), at + _BEHIND_CHARS + 100)


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether it is no part of a path, an address, a longer blob or a call."""
    before = text[start - 1 : start]
    if before and _GROUND.match(before):
        return False
    behind = text[end : end + 1]
    return not (behind and (behind.isalnum() or behind in "@/\\_(["))


def _opens(lower: str, start: int, end: int, at: int) -> bool:
    """Whether nothing beside it says that it is a digest, an id or something public. at: where its word stands."""
    if at > end and (at - end > _NEAR_CHARS or not _BEHIND.match(lower, end, at)):
        return False
    return not _NO_SECRET.search(lower, max(0, start - 30), start)
