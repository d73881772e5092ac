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
from daemon.signals.overlaps import places
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
_VALUE: Final = re.compile(r"[A-Za-z0-9+/][A-Za-z0-9+/_.~=-]{14,198}[A-Za-z0-9+/=]")
_NAME: Final = re.compile(r"[A-Za-z_.-]{1,60}=")
"""In front of a value, in one run with it."""
_GROUND: Final = re.compile(r"[\w/@.%&#\\-]")
_AWS: Final = re.compile(r"[A-Za-z0-9/+=]{40,100}(?![_.@-])")
_AWS_WORDS: Final = ("aws", "amazon", "akia", "secret", "credential", "boto", "access key")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_SPLIT: Final = re.compile(r"[-_.~+/=]+")

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
    r"(?:(?:api|access|secret|private|license|licence|signing|encryption|auth|client|service|account|admin|"
    r"master|deploy|webhook|"
    r"app|application|storage|shared|our|my|your|the|new|old|this|prod|production|live|"
    r"integration)[ _-]?){1,2}keys?(?![a-z])|"
    r"secrets?(?![a-z])|(?<!next )(?<!page )tokens?(?![a-z])|passwords?|passwd|credentials?|bearer|"
    r"[a-z-]{0,12}-?schlüssel|clé (?:d'|api|secr|priv)|clave|chiave|sleutel|密钥|キー|키|cookie[\"']?:"
)
_KEY_ALONE: Final = re.compile(r"(?<![\w-])(?:pass)?key[\"']?[ \t]*(?:[:=]|is)?[ \t]*[\"'`]?$")
"""A word that stands before digests as well: with it alone, hex digits are none."""
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_NO_SECRET: Final = re.compile(
    r"sha-?\d|\bsha\b|md5|hash|digest|checksum|commit|revision|\brev\b|etag|integrity|fingerprint|uu?id|guid|"
    r"nonce|csrf|public|"
    r"primary|cache|object|trace|span|request|build|blob|\bid\b|\bids\b|signature|version|image|layer|tree|parent|merge|"
    r"thumbprint|serial|correlation|session[_-]?id|sentinel|crc|0x$|max_|token(?:s|_ids|izer)|keyword|keyboard|"
    r"monkey|key_id|kid\b"
)


def looks_generated(value: str) -> bool:
    """Whether a value of MIN_CHARS at least is random rather than words, a name or a number."""
    if len(value) < MIN_CHARS or _UUID.fullmatch(value) or looks_made_up(value):
        return False
    pieces = _SPLIT.split(value)
    return _is_random("".join(pieces)) or (len(pieces) > 1 and _is_random(max(pieces, key=len)))


def _is_random(run: str) -> bool:
    """run: letters and digits. Words keep their letters together, however they are put together."""
    if len(run) < MIN_CHARS or run.isdigit() or entropy(run) < 3.0:
        return False
    digits = sum(map(str.isdigit, run))
    chars = len(run) / max(1, len(_PIECES.findall(run)))
    if any(map(str.isupper, run)) and any(map(str.islower, run)):
        return chars <= _WORDS_CHARS
    return (digits >= 2 and chars <= _WORDS_CHARS) or (digits >= 0.15 * len(run) and chars <= _SMALL_CHARS)


def generated(text: str, lower: str, known: Set[int]) -> Iterator[Found]:
    """lower: the text in small letters, at the same length. known: where values begin that were found already."""
    done = 0
    for at in sorted(places(lower, _STEMS)):
        start, end = _line(text, at)
        if end <= done:
            continue
        start = max(start, done)
        for hit in _VALUE.finditer(text, start, end):
            done = hit.end()
            begin, _ = _value(*hit.span(), hit[0])
            if begin in known or not _is_alone(text, *hit.span()):
                continue
            if looks_generated(text[begin:done]) and _opens(text, lower, begin, done):
                yield Found(begin, done, "API_KEY")


def lone_aws_secrets(text: str, lower: str) -> Iterator[Found]:
    """40 characters of base64, which no name, path or hash is, anywhere in a text that speaks of such keys."""
    if not any(word in lower for word in _AWS_WORDS):
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


def _opens(text: str, lower: str, start: int, end: int) -> bool:
    before = lower[max(0, start - _BEFORE_CHARS) : start]
    near = before[-30:]
    if _NO_SECRET.search(near):
        return False
    if _WORD.search(before) or (_KEY_ALONE.search(before) and not _HEX.fullmatch(text, start, end)):
        return True
    behind = lower[end : end + 40].partition("\n")[0]
    return _WORD.search(behind) is not None and not _NO_SECRET.search(behind)
