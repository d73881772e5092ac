"""What opens something: private keys, keys of vendors, passwords. Who reads it can act as the user."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.assignments import assignments, commands, headers, url_passwords
from daemon.signals.base import Found, Kind
from daemon.signals.generated import generated, lone_aws_secrets
from daemon.signals.overlaps import Vocabulary, folded, settle
from daemon.signals.phrases import phrases
from daemon.signals.vendor_tokens import vendor_tokens


class Secrets:
    """The rule."""

    signal = "secret"
    kind = Kind.PRIVACY

    def find(self, text: str) -> tuple[Found, ...]:
        """All hits, in order, none inside another."""
        found = [*_private_keys(text), *vendor_tokens(text)]
        if "://" in text:
            found += url_passwords(text)
        found += commands(text)
        lower = folded(text)
        found += assignments(text, lower)
        found += headers(text, lower)
        vocabulary = Vocabulary(lower)
        found += phrases(text, lower, vocabulary)
        found += lone_aws_secrets(text, vocabulary)
        found += generated(text, lower, vocabulary, {hit.start for hit in found})
        return settle(found)


_BEGIN: Final = "-----BEGIN "
_KEY_HEAD: Final = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END: Final = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY: Final = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\[nr]|[\"',:+-])*")
_LINE_FEEDS: Final = re.compile(r"(?:\s|\\[nr])+\Z")
_BASE64_LINE: Final = re.compile(r"[A-Za-z0-9+/=]{24}")


def _private_keys(text: str) -> Iterator[Found]:
    """From its first line to before its last. Without its end, as long as it looks like its body."""
    at = text.find(_BEGIN)
    while at >= 0:
        end = at + len(_BEGIN)
        if head := _KEY_HEAD.match(text, at):
            end = head.end()
            following = text.find(_BEGIN, end)
            close = _KEY_END.search(text, end, following if following >= 0 else len(text))
            if close:  # its last line says what it was
                end = head.end() + len(_LINE_FEEDS.sub("", text[head.end() : close.start()]))
            elif body := _KEY_BODY.match(text, end):
                end = at + len(text[at : body.end()].rstrip())
            if _BASE64_LINE.search(text, head.end(), end):
                yield Found(at, end, "PRIVATE_KEY")
        at = text.find(_BEGIN, end)
