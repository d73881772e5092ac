"""Names in code that are the user's own: of functions, classes, variables, modules, tables, columns and projects.

Theory of operation. A name is nobody's own if a language, a library or many of their names have it (`public`), or if it is
one plain word. So what is made of several words is private unless it is known as a whole (`order_total`, not `parse_args`),
and so is one word that no dictionary has (`acmepay`). A plain word is private only where it names something: behind `class`,
`FROM`, `CREATE TABLE`, `project`. Outside of code a name is told by its form alone (an underscore, a hump), by a call's
brackets, or by what it is called (`the Falcon service`). Nothing is parsed: what was cut out of a file, a diff or a log is
code too, and what is masked is turned back anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found, Kind
from daemon.signals.code.public import PublicNames, public_names
from daemon.signals.code.regions import Region, regions
from daemon.signals.code.told import Told
from daemon.signals.overlaps import settle
from daemon.signals.public_names import everybody_knows, is_ordinary

LABEL: Final = "CODE_NAME"
_NAME: Final = re.compile(r"(?:(?<=(?<!\\)\\[abfnrtvBsSdDwW])|(?<![\w\\]))[@&$#_-]*([A-Za-z][\w$]*)")
"""An identifier without its marks, also behind an escape in a string; not one in the midst of a number."""
_ESCAPE: Final = re.compile(r"(?<!\\)\\[abfnrtvBsSdDwW]$")
_HYPHENS: Final = re.compile(r"(?<![\w\\%@-])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+(?![\w-])")
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ADDRESS: Final = re.compile(
    r"https?://\S+|[a-z][a-z0-9+.-]*://[^\s/]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|"
    r"(?<![\w.])[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|internal)\b"
)
"""Pages, machines and mailboxes: others look for those."""
_NAMING: Final = re.compile(
    r"\b(?:class|struct|interface|trait|enum|record|protocol|impl|extends|implements|namespace|package|module|"
    r"schema|database|"
    r"(?i:from|join|into|table|view|(?:if\s+(?:not\s+)?exists)|update|references))\s+[\"`\[]?(?:\w+\.){0,3}$"
)
"""What stands before a plain word that is a name."""
_BLOB: Final = re.compile(r"[0-9a-fA-F]{7,}|\w*\d[a-zA-Z]+\d[a-zA-Z]+\d\w*|\w{61,}")
_IN_PROSE: Final = re.compile(
    r"(?<![\w@/\\.#%&=-])_*((?:[A-Za-z][A-Za-z0-9]*_+)+[A-Za-z0-9]+|[a-z]+(?:[A-Z][a-z0-9]+)+[A-Z]{0,4}|"
    r"(?:[A-Z][a-z0-9]+){2,}[A-Z]{0,4}"
    r"|[A-Z]{2,5}(?:[A-Z][a-z0-9]+)+)(?![\w@-])"
)
_CALL: Final = re.compile(r"(?<![\w@/\\.])((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)\(\)")
_DOTTED: Final = re.compile(r"(?<![\w@/\\.-])[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+(?![\w@-])")
_SCOTS: Final = re.compile(r"(?:Mc|Mac|De|Di|Da|La|Le|Van|Von|Fitz|O)[A-Z][a-z]+")
_KINDS: Final = (
    "project|initiative|program(?:me)?|service|microservice|module|package|repo|repository|codebase|platform|pipeline|library|"
    "framework|engine|component|database|schema|table|view|queue|topic|cluster|namespace|class|function|method|procedure|subsystem|system|"
    "app|application|backend|daemon|worker|job|workflow|algorithm|model|sdk|api|tool|dashboard|team|squad"
)
_WORD: Final = r"(?:[A-Z][A-Za-z0-9]*[a-z0-9][A-Za-z0-9]*|[A-Z]{2,})"
_TITLED: Final = rf"{_WORD}(?:(?: (?:of|and|for|&)(?: the)?)?[ -](?:{_WORD}|\d+(?:\.\d+)?)){{0,4}}"
_CALLED: Final = re.compile(
    rf"(?i:\b(?:code[- ]?named?|{_KINDS})(?:\s+(?:called|named|known as|codenamed|code-named))?)[\s:]+[\"'“‘*]{{0,2}}"
    rf"({_TITLED})"
)
_OF_KIND: Final = re.compile(rf"\b({_TITLED})[\"'”’*]{{0,2}}\s+(?:{_KINDS})s?\b")
_TITLE: Final = re.compile(r"\b(?:Project|Operation|Initiative|Program|Programme|Team) $")
_PROPER: Final = re.compile(rf"(?<![\w/\\.@#-]){_TITLED}(?![\w@]|[-.]\w)")
_CAPITAL: Final = re.compile(r"[ -]([A-Z][a-z]\w*)(?![\w(]|\.\w)")
_IDENTIFIER: Final = re.compile(r"[a-z]_[a-z]|\w\(\)")
_UNHEARD: Final = re.compile(r"(?<![\w/.@\\'’-])[a-z]{5,20}(?![\w@/-]|['’.:]\w|\()")
_WORDLIKE: Final = re.compile(
    r"(?:un|re|pre|sub|multi|non|over|under|de|dis|inter|micro|hyper|meta|auto|super|semi|co)\w+|"
    r"\w+(?:s|ed|ing|er|or|al|able|ible|ly|i[sz]e|ment|ness|ity|ion|less|ful|ism|ist|isation|our|age|ous|ive|ify)"
)
"""What new words of a language begin or end with."""
_REMARK: Final = re.compile(r"(?:^|\s)(?:#|//|--|/?\*|<!--|;)")
_GOES_ON: Final = re.compile(r"(?:['’]s)? [a-z]")
_OPENS: Final = re.compile(r"(?:^|[\n.!?:•*>#|\"'“\]\d)-])\s*$")
_SPACED: Final = re.compile(r"[^ ]+")
_SUFFIXED: Final = re.compile(
    r"(?<![\w./@-])[a-z]{3,}(?:db|svc|srv|repo|lib|sdk|cli|mgr|etl|dwh|prod)\d*(?![\w@-]|\.\w)"
)
_SOFTWARE: Final = re.compile(
    r"\b(?:code(?:base)?|functions?|class(?:es)?|methods?|(?:micro)?services?|repo(?:sitory)?|deploy\w*|"
    r"databases?|SQL|API|bugs?|modules?|"
    r"endpoints?|migrations?|pipelines?|refactor\w*|queries|query|scripts?|schemas?|tables?|compil\w+|"
    r"stack ?trace|exceptions?|servers?|"
    r"unit tests?|commits?|branch(?:es)?|pull request|projects?|platform|back-?end|front-?end|integrations?|"
    r"releases?|roadmap|architecture|"
    r"config\w*|environments?|staging|clusters?|dashboards?|features?|apps?|log(?:s|ging)?|webhooks?|tokens?|"
    r"cron|sprint)\b",
    re.IGNORECASE,
)
"""Words by which a text is one about software, where a capital makes a name."""
_CALENDAR_WORDS: Final = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
october november december english french german spanish italian dutch portuguese russian chinese japanese korean
arabic hindi european american british africa america asia europe christmas easter internet
"""
_CALENDAR: Final = frozenset(_CALENDAR_WORDS.split())
_PREFIXES_WORDS: Final = """
pre non in cross multi re co web cloud real self third single per sub inter on off back front mobile desktop client
user search test build load open server key-value key high low full end long short event data
"""
_PREFIXES: Final = frozenset(_PREFIXES_WORDS.split())
"""What makes no name of `web-app` or `client-server`."""
_QUOTED: Final = re.compile(
    rf"(?i:\b(?:{_KINDS}|variable|column|field|index|bucket|constant|parameter|key|"
    rf"flag)s?\b)[^.\n\"'“]{{0,24}}[\"'“]([A-Za-z_][\w.-]{{2,40}})[\"'”]"
)
_STARTERS_WORDS: Final = """
a an and another any are as at but by can could did do does each every for from had has have he her his how i if in is
it its let may my new no not now of on one or our please she should some that the their then there these they this
those to use using was we were what when where which who why will with would you your all both given here just also
after before since
"""
_STARTERS: Final = frozenset(_STARTERS_WORDS.split())
_PLACES_WORDS: Final = """
service svc api worker db database backend frontend app server gateway prod staging dev cluster queue topic bucket
repo job cron internal consumer producer scheduler migration dashboard portal sync engine store proxy
ui web cli sdk etl ingest connect connector utils lib android ios hub kit infra ops bot
"""
_PLACES: Final = frozenset(_PLACES_WORDS.split())
"""Parts of names with hyphens that programs and machines are called by."""
MIN_CHARS: Final = 4
LINE_CHARS: Final = 300
"""Of a line, before a name: files that no person wrote have lines of any length."""


class CodeNames:
    """The rule. public: None: the shipped list, read when the first text comes."""

    signal = "code"
    kind = Kind.PRIVACY

    def __init__(self, public: PublicNames | None = None) -> None:
        self._given = public

    @property
    def _public(self) -> PublicNames:
        return self._given or public_names()

    def find(self, text: str) -> tuple[Found, ...]:
        """All hits, in order, none inside another."""
        code = regions(text)
        hidden = [found.span() for found in _ADDRESS.finditer(text)]
        found = [place for region in code for place in self._in_code(text, region)]
        found += self._in_prose(text, code)
        kept = [place for place in found if not _within(place, hidden)]
        kept += Told(self._public).find(text, code)
        taken = [(region.start, region.end) for region in code]
        whole = (self._widened(text, place, taken) for place in kept)
        return settle(Found(start, end, LABEL) for start, end in whole)

    def _widened(self, text: str, place: tuple[int, int], taken: list[tuple[int, int]]) -> tuple[int, int]:
        """A name with the other words that have its capitals: of `Falcon` in `Project Falcon Billing Platform` all four."""
        start, end = place
        if not text[start].isupper() or not _is_said(text, start, taken):
            return place
        while (more := _CAPITAL.match(text, end)) and self._belongs(more[1]):
            end = more.end()
        if kind := _TITLE.search(text, max(0, start - 14), start):
            start = kind.start()
        return start, end

    def _belongs(self, word: str) -> bool:
        return word.lower() not in _STARTERS | _CALENDAR and not self._public.is_product(word)

    def _in_code(self, text: str, region: Region) -> Iterator[tuple[int, int]]:
        hyphened = [
            found.span()
            for found in _HYPHENS.finditer(text, region.start, region.end)
            if (region.hyphens or text[found.start() - 1 : found.start()] in ("'", '"'))
            and self._is_hyphened_name(found[0])
        ]
        yield from hyphened
        for found in _NAME.finditer(text, region.start, region.end):
            start = found.start(1)
            name = text[start : found.end()].rstrip("_$")
            naming = _NAMING.search(text, max(region.start, start - 40), start) is not None
            if self._is_private(name, naming) and not _within((start, start + len(name)), hyphened):
                yield start, start + len(name)

    def _is_private(self, name: str, naming: bool) -> bool:
        """naming: whether it stands where things are named."""
        if len(name) < (MIN_CHARS if not naming else 2) or _BLOB.fullmatch(name) or self._public.knows(name):
            return False
        humps = _HUMPS.findall(name)
        words = [hump for hump in humps if not hump.isdigit()]
        if len(words) > 1:
            return True
        if not words or not name.isascii():
            return bool(words)
        if self._public.is_word(words[0]) or self._public.knows(words[0]):
            return naming
        return True

    def _is_hyphened_name(self, name: str) -> bool:
        parts = name.lower().split("-")
        if _BLOB.fullmatch(name.replace("-", "")) or self._public.knows(name):
            return False
        letters = [part for part in parts if part.isalpha()]
        if len(letters) < 2:
            return False
        if any(part in _PLACES for part in (letters[0], letters[-1])):
            return True
        return any(
            len(part) >= MIN_CHARS and not self._public.is_word(part) and not self._public.knows(part)
            for part in letters
        )

    def _in_prose(self, text: str, code: list[Region]) -> Iterator[tuple[int, int]]:
        taken = [(region.start, region.end) for region in code]
        for found in _HYPHENS.finditer(text):
            if self._is_hyphened_name(found[0]) and found[0].split("-")[0].lower() not in _PREFIXES:
                yield found.span()
        if code or _SOFTWARE.search(text) or _IDENTIFIER.search(text):
            yield from self._proper(text, taken)
        for pattern in (_IN_PROSE, _CALL, _DOTTED):
            for found in pattern.finditer(text):
                if not _within(found.span(), taken):
                    yield from self._told_by_form(text, pattern, found)
        for pattern in (_CALLED, _OF_KIND, _QUOTED):
            for found in pattern.finditer(text):
                if not _within(found.span(1), taken) or _is_remark(text, found.start(1), taken):
                    yield from self._called(text, *found.span(1), quoted=pattern is _QUOTED)

    def _proper(self, text: str, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Words with a capital in the midst of a sentence, and those that end as names of programs do."""
        for found in _PROPER.finditer(text):
            inside = _within(found.span(), taken)
            if inside and not _is_remark(text, found.start(), taken):
                continue
            words = [word.span() for word in _SPACED.finditer(text, *found.span())]
            while words and text[slice(*words[0])].lower() in _STARTERS | _CALENDAR:
                words.pop(0)
            named = [text[slice(*word)] for word in words]
            if not words or (inside and len(words) < 2):
                continue
            start, end = words[0][0], words[-1][1]
            opens = _OPENS.search(text, max(0, start - 4), start) is not None
            if self._is_proper(named, opens, goes_on=_GOES_ON.match(text, end) is not None):
                yield start, end
        for found in _UNHEARD.finditer(text):
            word = found[0]
            if self._is_unheard(word) and not _within(found.span(), taken):
                yield found.span()
        for found in _SUFFIXED.finditer(text):
            if (
                not self._public.knows(found[0])
                and not self._public.is_word(found[0])
                and not _within(found.span(), taken)
            ):
                yield found.span()

    def _is_unheard(self, word: str) -> bool:
        """Whether neither a language nor a library has a word of small letters, nor one from which it is made."""
        if self._public.is_word(word) or self._public.knows(word) or _WORDLIKE.fullmatch(word):
            return False
        return not everybody_knows(word) and not is_ordinary(word)

    def _is_proper(self, words: list[str], opens: bool, goes_on: bool) -> bool:
        """Whether words with capitals are somebody's own name for something. opens: whether they begin a sentence. goes_on:
        whether a small word follows, so that they are no heading.
        """
        name = " ".join(words)
        words = [word for word in words if not word.islower()]
        if everybody_knows(name) or all(map(self._public.is_product, words)) or _SCOTS.fullmatch(name):
            return False
        new = [word for word in words if not self._public.knows(word) and len(word) >= MIN_CHARS]
        if len(words) == 1:
            return bool(new) and words[0].lower() not in _CALENDAR and (not opens or not self._public.is_word(words[0]))
        return bool(new) or not opens or goes_on

    def _told_by_form(self, text: str, pattern: re.Pattern[str], found: re.Match[str]) -> Iterator[tuple[int, int]]:
        if pattern is _CALL:
            start, end = found.span(2)
            name = text[start:end].strip("_")
            if len(name) >= MIN_CHARS and not self._public.knows(name):
                yield start, end
        elif pattern is _DOTTED:
            names = list(_NAME.finditer(text, *found.span()))
            if any(len(_HUMPS.findall(each[1])) > 1 for each in names):
                for each in names:
                    if self._is_private(each[1], naming=False):
                        yield each.span(1)
        else:
            name = found[1]
            if (
                not _SCOTS.fullmatch(name)
                and not _BLOB.fullmatch(name)
                and len(name) > MIN_CHARS
                and not self._public.knows(name)
            ):
                yield found.span(1)

    def _called(self, text: str, start: int, end: int, quoted: bool) -> Iterator[tuple[int, int]]:
        """Of words that something is called by, those that are names, without the one that begins a sentence. What is
        `Project Falcon` as a whole is called so.
        """
        if quoted:
            name = text[start:end]
            if not self._public.knows(name) and (
                not name.islower() or not name.isalpha() or not self._public.is_word(name)
            ):
                yield start, end
            return
        words = [(found.start(), found.end()) for found in re.finditer(r"[^ -]+", text[start:end])]
        while words and text[start + words[0][0] : start + words[0][1]].lower() in _STARTERS:
            words.pop(0)
        names = [text[start + first : start + last] for first, last in words]
        if not names or all(self._public.knows(name) or len(name) < MIN_CHARS for name in names):
            return
        first = start + words[0][0]
        if kind := _TITLE.search(text, max(0, first - 14), first):
            first = kind.start()
        yield first, start + words[-1][1]


def identifiers(text: str) -> Iterator[tuple[int, str]]:
    """Where each identifier of a text begins, and its name without marks."""
    for found in _NAME.finditer(text):
        yield found.start(1), found[1].rstrip("_$")


def is_identifier(name: str) -> bool:
    """Whether a name is found as one of those."""
    return next(identifiers(name), None) == (0, name)


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a name that stands in a text is no part of a longer one."""
    after = text[end : end + 1]
    if after.isalnum() or after == "$" or (after == "_" and text[end:].lstrip("_")[:1].isalnum()):
        return False
    before = text[max(0, start - 60) : start].rstrip("_$")
    return not before[-1:].isalnum() or _ESCAPE.search(before) is not None


def _is_said(text: str, start: int, taken: list[tuple[int, int]]) -> bool:
    """Whether a place is in a sentence: in prose, a remark, or a piece of text that a program holds."""
    if not any(first <= start < last for first, last in taken) or _is_remark(text, start, taken):
        return True
    before = text[_line(text, start) : start]
    return any(before.count(mark) % 2 for mark in ('"', "'", "`"))


def _is_remark(text: str, start: int, taken: list[tuple[int, int]]) -> bool:
    """Whether a place in code is in a remark."""
    if _REMARK.search(text, _line(text, start), start):
        return True
    first = next((first for first, last in taken if first <= start < last), start)
    return text.count('"""', first, start) % 2 == 1


def _line(text: str, start: int) -> int:
    """Where the line of a place begins, or what is near of a long one."""
    near = max(0, start - LINE_CHARS)
    return max(near, text.rfind("\n", near, start) + 1)


def _within(place: tuple[int, int], pieces: list[tuple[int, int]]) -> bool:
    return any(start <= place[0] and place[1] <= end for start, end in pieces)
