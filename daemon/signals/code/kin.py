"""Where a name that was found is said otherwise: `falcon-billing` and `FalconClient` of Falcon, hosts of Acme Corp.

A word tells whose it is if no library has it. What is put together with such a word is somebody's own as a whole, its common
words too: `billing` alone says nothing, `falcon-billing` does. By itself the word counts where it has the capital of a name,
or is no word of English, so that what a text says of falcons stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from daemon.signals.code.public import PublicNames
from daemon.signals.public_domains import MAIL_FOR_ALL, PUBLIC_DOMAINS, registered
from daemon.signals.public_names import is_ordinary

MIN_CHARS: Final = 4
MOST: Final = 400
"""Words that are looked for: each costs one look into a table, but what they are put together with may be long."""
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_RUN: Final = re.compile(r"(?<![\w\\])[A-Za-z][A-Za-z0-9]*(?:[_-]+[A-Za-z0-9]+)*")
_HOST: Final = re.compile(
    r"(?<![\w@.-])[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)*\.[a-z]{2,}(?![\w-]|\.\w|\()", re.IGNORECASE
)
_TOP_WORDS: Final = """
com org net io dev co cloud app tech ai eu de fr uk nl ch at it es us ca internal local lan corp intra home private
"""
_TOPS: Final = frozenset(_TOP_WORDS.split())
_SURE_TOPS: Final = frozenset(
    {"com", "org", "net", "io", "cloud", "eu", "de", "fr", "uk", "internal", "lan", "corp", "local"}
)
"""Those that attributes in code hardly end with."""
_STAGES: Final = re.compile(
    r"(?:api|app|admin|auth|backup|build|ci|db|dev|files|git|gitlab|grafana|internal|intranet|jenkins|jira|kibana|mail|mq|nexus|"
    r"portal|prod|registry|sso|stage|staging|stg|test|uat|vault|vpn|wiki)(?:[-_]?\w+)?"
)
"""What an organisation calls its own machines."""
_MAIL: Final = re.compile(r"[\w.+-]@([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})\b", re.IGNORECASE)
_WEB: Final = re.compile(r"(?:https?://|www\.)\S*$")
_BOUND: Final = re.compile(r"(?:[/\\@]|\b(?:package|module|namespace|cd|import|from) )$")
_KINDS: Final = frozenset({"project", "operation", "initiative", "program", "programme", "team", "this", "the", "our"})
_GENERIC_WORDS: Final = """
corp group labs bank works solutions holding holdings partners example invalid localhost cluster svc internal company
"""
_GENERIC: Final = frozenset(_GENERIC_WORDS.split())


class Kin(Struct, frozen=True):
    """What tells names. loose: words of those that stand by themselves. bound: of those that are put together. joined:
    names of several words as one. heads: the first words of those. domains: of mailboxes and machines.
    """

    loose: frozenset[str]
    bound: frozenset[str]
    joined: frozenset[str]
    heads: frozenset[str]
    domains: frozenset[str]


def kin_of(names: Iterable[str], domains: frozenset[str], public: PublicNames) -> Kin:
    """What tells the names."""
    loose: set[str] = set()
    bound: set[str] = set()
    joined: set[str] = set()
    heads: set[str] = set()
    for name in sorted({*names, *domains}):
        words = [hump.lower() for hump in _HUMPS.findall(name)]
        telling = [word for word in words if _tells(word, public)]
        single = " " in name or "-" in name or len(words) == 1
        (loose if single else bound).update(telling)
        if " " in name and len(words[0]) >= MIN_CHARS and words[0] not in _KINDS and not public.is_product(words[0]):
            heads.add(words[0])
        if len(words) > 1 and telling and len(name) < 40:
            joined.add("".join(words))
        if len(loose) + len(bound) > MOST:
            break
    return Kin(frozenset(loose), frozenset(bound), frozenset(joined), frozenset(heads), domains)


def _tells(word: str, public: PublicNames) -> bool:
    return (
        len(word) >= MIN_CHARS
        and word not in _GENERIC
        and not public.knows(word)
        and not public.is_product(word)
        and not (is_ordinary(word) and not public.is_word(word))
    )


def relatives(text: str, kin: Kin, public: PublicNames) -> Iterator[tuple[int, int]]:
    """Where names are said otherwise in a text."""
    if not (kin.loose or kin.bound or kin.heads):
        return
    for found in _RUN.finditer(text):
        run = found[0]
        humps = _HUMPS.findall(run)
        words = [hump.lower() for hump in humps]
        if "".join(words) in kin.joined:
            yield found.span()
        elif len(words) > 1:
            if any(word in kin.loose for word in words) or any(
                word in kin.bound and not public.is_word(word) for word in words
            ):
                yield found.span()
        elif words and (_is_bound(text, found.start(), run, kin) or _stands_for_a_name(run, words[0], kin, public)):
            yield found.span()


def _is_bound(text: str, start: int, run: str, kin: Kin) -> bool:
    """Whether it is the first word of a name at a place of paths and packages."""
    return run.lower() in kin.heads and _BOUND.search(text, max(0, start - 12), start) is not None


def _stands_for_a_name(run: str, word: str, kin: Kin, public: PublicNames) -> bool:
    if word not in kin.loose:
        return word in kin.bound and not public.is_word(word)
    return not run.islower() or not public.is_word(word)


def owners(text: str) -> Iterator[str]:
    """By what word the owners of a text's machines and mailboxes are called. Pages of the Web are everybody's."""
    for found in _MAIL.finditer(text):
        yield from _owner(found[1].lower().split("."))
    for found in _HOST.finditer(text):
        labels = found[0].lower().split(".")
        if len(labels) < 3 or labels[-1] not in _TOPS:
            continue
        web = _WEB.search(text, max(0, found.start() - 40), found.start())
        if _STAGES.fullmatch(labels[0]) or (labels[-1] in _SURE_TOPS and not web):
            yield from _owner(labels)


def _owner(labels: list[str]) -> Iterator[str]:
    domain = registered(labels)
    if domain not in PUBLIC_DOMAINS and domain not in MAIL_FOR_ALL and "example" not in labels:
        yield domain.partition(".")[0]


def their_hosts(text: str, kin: Kin) -> Iterator[tuple[int, int]]:
    """Machines of whom the names tell: `mq.deltafreight.com` of Delta Freight."""
    known = kin.loose | kin.joined | kin.domains
    for found in _HOST.finditer(text) if known else ():
        labels = found[0].lower().split(".")
        if labels[-1] not in _TOPS or registered(labels) in PUBLIC_DOMAINS:
            continue
        if any(part in known for label in labels[:-1] for part in (label, label.replace("-", ""), *label.split("-"))):
            yield found.span()
