"""What points at a person, as far as patterns and check digits can tell. Labels are upstream's where it has one.

Each family first asks something cheap (is there an `@`, a digit, a word that names it). A text that only looks like one (a
version, a hash, a time, an order number, an address that standards reserve for examples) is not a finding: who is warned
for nothing stops reading warnings.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from typing import Final

from daemon.signals.addressed_names import addressed_names
from daemon.signals.base import Found, Kind
from daemon.signals.cloud_names import cloud_names
from daemon.signals.companies import companies, unspaced_companies
from daemon.signals.hosts import hosts
from daemon.signals.machine_readable import cards_as_read, machine_readable
from daemon.signals.names_unspaced import in_han, in_hangul
from daemon.signals.national_ids import national_ids
from daemon.signals.notices import notices
from daemon.signals.overlaps import Vocabulary, folded, places, settle
from daemon.signals.phones import phones
from daemon.signals.phones_abroad import phones_abroad
from daemon.signals.postal_addresses import postal_addresses, unspaced_addresses
from daemon.signals.samples import is_nobodys_number, is_sample_address
from daemon.signals.told_names import told_names
from daemon.signals.top_domains import COUNTRIES, GENERIC
from daemon.signals.unspaced import Region, opened, regions
from daemon.signals.windows import Windows, shape_of

_DIGIT: Final = re.compile(r"\d")


class Pii:
    """The rule."""

    signal = "pii"
    kind = Kind.PRIVACY

    def find(self, text: str) -> tuple[Found, ...]:
        """All hits, in order, none inside another."""
        lower = folded(text)
        vocabulary = Vocabulary(lower)
        unspaced = regions(text)
        found = [*_names(text, lower, vocabulary), *_unspaced(text, unspaced)]
        shape = shape_of(text) if _DIGIT.search(text) else b""
        if shape:
            found += postal_addresses(text, lower, vocabulary, shape)
        if unspaced:
            text = opened(text, unspaced)
            shape = shape_of(text) if shape else b""
        found += _emails(text)
        if shape:
            windows = Windows(text, shape)
            nearby = windows.vocabulary(lower, vocabulary)
            found += national_ids(text, lower, windows, nearby)
            called = (*phones(text, lower, windows, nearby), *phones_abroad(text, windows, bool(unspaced)))
            found += (hit for hit in called if not is_nobodys_number(_digits(text, hit)))
            found += _cards(text, lower, windows)
            found += _social_security(text, lower, windows, nearby)
            found += _ibans(text, lower, shape)
            found += _addresses_v4(text, lower, shape)
            found += _births(lower, vocabulary)
            found += _named_numbers(text, lower, vocabulary, shape)
            found += _streets(text, shape, vocabulary)
            found += cards_as_read(text)
        found += machine_readable(text)
        if "::" in text or text.count(":") >= 7:
            found += _addresses_v6(text)
        free = notices(lower) if any(hit.label in _CREDITED for hit in found) else []
        return settle(
            hit for hit in found if hit.label not in _CREDITED or not any(at <= hit.start < end for at, end in free)
        )


def _names(text: str, lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """What has a name and no number."""
    yield from addressed_names(text, lower, vocabulary)
    yield from hosts(text, lower, vocabulary)
    yield from cloud_names(lower, vocabulary)
    yield from told_names(text, lower, vocabulary)
    yield from companies(text, vocabulary)


def _digits(text: str, hit: Found) -> str:
    return "".join(filter(str.isdecimal, text[hit.start : hit.end]))


_CREDITED: Final = frozenset({"EMAIL_ADDRESS", "ORGANIZATION", "STREET_ADDRESS"})
"""What the notice of an open licence says of those who wrote it."""


def _unspaced(text: str, where: Sequence[Region]) -> Iterator[Found]:
    """What scripts without blanks have forms of their own for."""
    for start, end in where:
        part = text[start:end]
        for hit in (*in_han(part), *in_hangul(part), *unspaced_addresses(part), *unspaced_companies(part)):
            yield Found(start + hit.start, start + hit.end, hit.label)


# ---- EMAIL_ADDRESS --------------------------------------------------------------------------------------------------

_LOCAL_BACKWARDS: Final = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{0,64}")
_DOMAIN: Final = re.compile(
    r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?P<top>xn--[a-zA-Z0-9-]{2,59}|[^\W\d_]{2,24})(?![\w@-])"
)
_EXAMPLE_DOMAINS: Final = re.compile(
    r"(?:.*\.)?(?:example\.(?:com|net|org|edu)|(?:test|example|invalid|localhost|local|localdomain|lan))", re.IGNORECASE
)  # RFC 2606, RFC 6761, RFC 6762
_ROLES: Final = frozenset({"git", "hg", "svn", "noreply", "no-reply", "donotreply", "do-not-reply", "mailer-daemon"})
_LISTS: Final = re.compile(
    r"(?:bug|help|info|discuss)-[\w-]+@(?:non)?gnu\.org|[\w.+-]+-(?:sig|dev|devel|users?|list|announce|bugs|commits|discuss|help)@.*|.*@(?:lists?\.|.*\blists\.|googlegroups\.com).*",
    re.IGNORECASE,
)
"""Of mailing lists, which are written to by everybody."""
_REMOTE: Final = re.compile(r":(?:[~/.]|[\w.-]+/)")
_SAYS_MAIL: Final = re.compile(r"(?:mailto:|e-?mails?\b[^\n]{0,20}|<)$", re.IGNORECASE)


def _emails(text: str) -> Iterator[Found]:
    at = text.find("@")
    while at >= 0:
        if at and (domain := _DOMAIN.match(text, at + 1)):
            start = at - len(local := _local(text, at))
            if local and not _is_known(domain["top"]) and (cut := _glued(text, domain, local)):
                yield Found(start, cut, "EMAIL_ADDRESS")
            elif local and _is_email(text, start, local, domain):
                while start and text[start - 1] == "@" and (glued := _local(text, start - 1)):
                    start -= 1 + len(glued)  # `a@b.orgc@d.org`
                yield Found(start, domain.end(), "EMAIL_ADDRESS")
        at = text.find("@", at + 1)


_ENDS: Final = ("com", "net", "org", "edu", "gov", "info")


def _is_known(top: str) -> bool:
    return top.lower() in GENERIC or top.lower() in COUNTRIES


def _glued(text: str, domain: re.Match[str], local: str) -> int:
    """Where an address ends to whose end letters are glued, with them: `ada@lovelace.comPlease`. 0: it is none.

    A capital tells where; small letters count behind the most frequent endings of a mailbox that no code has.
    """
    top = domain["top"]
    hump = re.match(r"[a-z]{2,12}(?=[A-Z])", top)
    told = hump is not None and _is_known(hump[0])
    told = told or (top.startswith(_ENDS) and ("." in local or any(map(str.isdigit, local))))
    if not told or text.startswith("(", domain.end()):
        return 0
    return 0 if _EXAMPLE_DOMAINS.search(domain[0]) else domain.end()


_NO_MAILBOX: Final = re.compile(r"^.*(?:[/=&?|{}`!#$*^]|(?<![^\W_])[bfruBFRU]'|(?<![^\W_])'|[^\W_]{2}')")
"""What ends with a mark that may stand in a mailbox by the standard, and does in none: but `o'brien` has one."""


def _local(text: str, at: int) -> str:
    """What stands before an `@`, as far as it is a mailbox."""
    backwards = _LOCAL_BACKWARDS.match(text[max(0, at - 64) : at][::-1])
    return _NO_MAILBOX.sub("", backwards[0][::-1] if backwards else "").lstrip(".-+%'")


def _is_email(text: str, start: int, local: str, domain: re.Match[str]) -> bool:
    if local.endswith(".") or local.lower() in _ROLES or _EXAMPLE_DOMAINS.fullmatch(domain[0]):
        return False
    if not any(map(str.isalnum, local)) or _LISTS.fullmatch(local + "@" + domain[0]):
        return False
    before = text[max(0, start - 100) : start]
    if re.search(r"://[^\s/?#]*$", before):  # a URL's user: a secret's business if there is a password
        return False
    if _REMOTE.match(text, domain.end()):  # scp and git: `deploy@host.net:/srv`
        return False
    top = domain["top"].lower()
    if top in GENERIC or top in COUNTRIES or top.startswith("xn--") or not top.isascii():
        return not (text.startswith("(", domain.end()) and "." not in local)  # `a@b.to(device)`
    return _SAYS_MAIL.search(before[-30:]) is not None


# ---- CREDIT_CARD ----------------------------------------------------------------------------------------------------

_CARD: Final = re.compile(
    r"(?<![\w.+\-])(?:[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|3\d{3}([ -]?)\d{6}\2\d{4,5}|"
    r"[0-6]\d{11,18})(?![\w\-]|\.\d)"
)
"""12 to 19 digits. Where no issuer known here gave it out (Maestro, local cards), a word must say that it is a card."""
_CARD_CORES: Final = (b"0000 0000 0000 0", b"0000-0000-0000-0", b"0000 000000 0000", b"0000-000000-0000", b"0" * 12)
_CARD_WORD: Final = re.compile(
    r"card|credit|debit|visa|master|amex|american express|discover|maestro|payment|\bpan\b|\bcc\b"
)
_ISSUERS: Final = (  # ISO/IEC 7812: prefix, lengths
    (re.compile(r"4"), {16, 18, 19}),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), {16}),
    (re.compile(r"3[47]"), {15}),
    (re.compile(r"6011|64[4-9]|65"), {16, 17, 18, 19}),
    (re.compile(r"30[0-5]|3095|36|3[89]"), {14, 16}),
    (re.compile(r"352[89]|35[3-8]"), {16, 17, 18, 19}),
    (re.compile(r"62|81"), {16, 17, 18, 19}),
    (re.compile(r"2131|1800"), {15}),
)


def _cards(text: str, lower: str, windows: Windows) -> Iterator[Found]:
    for start, end in windows.holding(_CARD_CORES):
        for hit in _CARD.finditer(text, start, end):
            written = hit[0]
            if not _is_card(written, lower, hit.start()):
                written = written.rpartition(" ")[0]  # an expiry date may follow it
                if not written or not _is_card(written, lower, hit.start()):
                    continue
            yield Found(hit.start(), hit.start() + len(written), "CREDIT_CARD")


def _is_card(written: str, lower: str, start: int) -> bool:
    digits = written.replace(" ", "").replace("-", "")
    if not 12 <= len(digits) <= 19 or luhn(digits):
        return False
    if any(prefix.match(digits) and len(digits) in lengths for prefix, lengths in _ISSUERS):
        return True
    return _CARD_WORD.search(lower, max(0, start - 60), start) is not None


_DOUBLED: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
"""The sum of the digits of a digit's double."""


def luhn(digits: str) -> int:
    """The check sum of ISO/IEC 7812-1, annex B: 0 for a payment card's number."""
    kept = sum(map(int, digits[-1::-2]))
    return (kept + sum(map(_DOUBLED.__getitem__, map(int, digits[-2::-2])))) % 10


# ---- IBAN_CODE ------------------------------------------------------------------------------------------------------

_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")


def _ibans(text: str, lower: str, shape: bytes) -> Iterator[Found]:
    for named in places(lower, ("iban",)):  # who names it may write it small
        start, end = max(0, named - _IBAN_NEAR_CHARS), named + _IBAN_NEAR_CHARS
        if len(upper := text[start:end].upper()) == len(text[start:end]):
            for hit in _ibans_in(upper, shape_of(upper)):
                yield Found(start + hit.start, start + hit.end, hit.label)
    yield from _ibans_in(text, shape)


_IBAN_NEAR_CHARS: Final = 120


def _ibans_in(text: str, shape: bytes) -> Iterator[Found]:
    at = shape.find(b"AA00")
    while at >= 0:
        hit = _IBAN.match(text, at)
        if hit and (length := _iban_length(hit[0])):
            yield Found(at, at + length, "IBAN_CODE")
        at = shape.find(b"AA00", hit.end() if hit else at + 1)


def _iban_length(written: str) -> int:
    """Of the number that it begins with; 0 if there is none."""
    from stdnum import iban  # 21 ms that a daemon without a candidate does not need

    while len(written) >= 15:
        if iban.is_valid(written, check_country=False):
            return len(written)
        written = written[: max(0, written.rfind(" "))]  # a word in capitals may follow it
    return 0


# ---- US_SSN ---------------------------------------------------------------------------------------------------------

_SSN: Final = re.compile(r"(?<![\w.+\-/])\d{3}([- ]?)\d\d\1\d{4}(?![\w\-/]|\.\d)")
_SSN_CORES: Final = (b"000-00-0000",)
"""The only form that counts without a word before it."""
_SSN_STEMS: Final = ("ssn", "social", "itin", "payer", "ss#", "ss_")
"""A part of each word that names one."""
_SSN_WORD: Final = re.compile(r"\bssn|social.?security|\bitin\b|\bsocial\b|tax.?payer|\bss#|\bssn?_")


def _social_security(text: str, lower: str, windows: Windows, nearby: Vocabulary) -> Iterator[Found]:
    named = windows.near(sorted(places(lower, nearby.said(_SSN_STEMS))), before=60)
    for start, end in sorted({*windows.holding(_SSN_CORES), *named}):
        for hit in _SSN.finditer(text, start, end):
            if _is_social_security(lower, hit):
                yield Found(hit.start(), hit.end(), "US_SSN")


def _is_social_security(lower: str, hit: re.Match[str]) -> bool:
    if hit[1] == "-" and hit[0][:3] not in ("000", "666") and hit[0][-7:-5] != "00" and hit[0][-4:] != "0000":
        return True
    return _SSN_WORD.search(lower, max(0, hit.start() - 60), hit.start()) is not None


# ---- IP_ADDRESS -----------------------------------------------------------------------------------------------------

_MIDDLE_OF_V4: Final = re.compile(rb"\.0{1,3}\.0{1,3}\.0{1,3}(?!0)")
_BYTE: Final = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_V4: Final = re.compile(rf"{_BYTE}\.{_BYTE}\.{_BYTE}\.{_BYTE}")
_LAST_WORDS: Final = (
    *("version", "release", "build", "firmware", "driver", "revision", "python", "java", "node", "sdk", "oid"),
    *(
        "section",
        "chapter",
        "clause",
        "jdk",
        "jre",
        "oracle",
        "chrome",
        "chromium",
        "firefox",
        "edge",
        "dotnet",
        "package",
        "tag",
    ),
)
_VERSION_BACKWARDS: Final = re.compile(
    r"\n?[\s:=\"'(]{0,3}s?(?:"
    + "|".join(word[::-1] for word in _LAST_WORDS)
    + r"|(?:ot|morf)?[d ]*edargpu|v\b|\.?rev\b|=[=<>~^!]|[~^])"
)
"""What makes a version of four numbers, read from their beginning to the left."""
_HOST_BEFORE: Final = re.compile(
    r"\b(?:ips?|ip.?addr\w*|address\w*|hosts?|hostname|servers?|client|addr|from|to|at|via|ping|ssh|curl|connect\w*|gateway|dns|"
    r"proxy|node|remote|source|peer|network|login|inet|bind|listen)\b[^\n]{0,15}$"
)
_VERSION_BEHIND: Final = re.compile(r"[\"')]{0,2} (?:build|release|version|driver|firmware|hotfix|sdk)\b")
_MOST_VERSIONS: Final = 20
"""What hardly any version's first number reaches."""
_PACKAGE: Final = re.compile(r"[ \t*-]{0,8}[a-z][\w.@/-]{1,60}[ \t]{1,60}")
_RESOLVERS: Final = frozenset(
    {"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "208.67.222.222", "208.67.220.220"}
)
_EVERYBODYS_V4: Final = frozenset(
    {
        "10.0.0.1",
        "10.0.2.2",
        "10.0.2.15",
        "10.96.0.1",
        "10.96.0.10",
        "172.17.0.1",
        "192.168.0.1",
        "192.168.1.1",
        "192.168.1.254",
    }
)
"""What routers and virtual machines give themselves when nobody chooses."""
_NOBODYS_V4: Final = ("0.", "127.", "169.254.", "192.0.2.", "198.18.", "198.19.", "198.51.100.", "203.0.113.")
"""This host, this link, documentation and measurements (RFC 1122, RFC 3927, RFC 5737, RFC 2544)."""
_FIRST_GROUP_ADDRESS: Final = 224
"""From here on: multicast and reserved."""
_DOCUMENTATION_V6: Final = tuple(map(ipaddress.IPv6Network, ("2001:db8::/32", "3fff::/20")))  # RFC 3849, RFC 9637


def _addresses_v4(text: str, lower: str, shape: bytes) -> Iterator[Found]:
    for hit in _MIDDLE_OF_V4.finditer(shape):
        middle, end = hit.span()
        before = shape[max(0, middle - 4) : middle]
        digits = len(before) - len(before.rstrip(b"0"))
        if 1 <= digits <= 3 and _is_address_v4(text, lower, middle - digits, end):
            yield Found(middle - digits, end, "IP_ADDRESS")


def _is_address_v4(text: str, lower: str, start: int, end: int) -> bool:
    left, right = text[max(0, start - 2) : start], text[end : end + 2]
    if left and (left[-1].isalnum() or left[-1] in "._-+\\" or (left[-1] == "/" and left != "//")):
        return False
    if right and (right[0].isalnum() or right[0] in "_+" or (right[0] in ".-" and right[1:].isalnum())):
        return False
    written = text[start:end]
    address = _V4.fullmatch(written)
    if not address or written.startswith(_NOBODYS_V4) or written in _RESOLVERS or written in _EVERYBODYS_V4:
        return False
    if int(address[1]) >= _FIRST_GROUP_ADDRESS or (right[:1] == "/" and _is_range(written, text[end : end + 4])):
        return False
    before = lower[max(0, start - 25) : start]
    if _VERSION_BACKWARDS.match(before[::-1]):
        return False
    if int(address[1]) < _MOST_VERSIONS and (
        is_sample_address(tuple(map(int, address.groups()))) or _VERSION_BEHIND.match(lower, end)
    ):
        return False
    small = len(written) <= len("19.19.19.19") and max(map(int, address.groups())) < 20 and address[1] != "10"
    if small or (int(address[1]) < _MOST_VERSIONS and address[1] != "10" and _is_in_list(lower, start, end)):
        return _HOST_BEFORE.search(before) is not None
    return True


def _is_in_list(lower: str, start: int, end: int) -> bool:
    """Whether it stands behind the name of a package, and nothing else in its line."""
    if lower[end : end + 1] not in ("", "\n", "\r"):
        return False
    return _PACKAGE.fullmatch(lower, max(0, lower.rfind("\n", 0, start) + 1), start) is not None


def _is_range(address: str, behind: str) -> bool:
    """Whether a mask makes a network of it, and not somebody in one."""
    mask = re.match(r"/(\d{1,2})(?!\d)", behind)
    if not mask or int(mask[1]) >= 32:
        return False
    return int(ipaddress.IPv4Address(address)) & ((1 << (32 - int(mask[1]))) - 1) == 0


_SHORT_V6: Final = re.compile(r"[0-9A-Fa-f:]{0,39}")
_LONG_V6: Final = re.compile(r":[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:")


def _addresses_v6(text: str) -> Iterator[Found]:
    done = 0
    at = text.find("::")
    while at >= 0:
        if at >= done:
            hit = _whole_v6(text, at)
            done = max(hit[1], at + 2)
            if _is_address_v6(text, *hit):
                yield Found(*hit, "IP_ADDRESS")
        at = text.find("::", at + 1)
    for middle in _LONG_V6.finditer(text):
        hit = _whole_v6(text, middle.start())
        if hit[1] > done and _is_address_v6(text, *hit):
            yield Found(*hit, "IP_ADDRESS")


def _whole_v6(text: str, at: int) -> tuple[int, int]:
    """The run of hex digits and colons around a place, at most an address long on either side."""
    left = _SHORT_V6.match(text[max(0, at - 39) : at][::-1])
    right = _SHORT_V6.match(text, at)
    return at - (left.end() if left else 0), right.end() if right else at


def _is_address_v6(text: str, start: int, end: int) -> bool:
    written = text[start:end].removesuffix(":") if not text[start:end].endswith("::") else text[start:end]
    if (start and (text[start - 1].isalnum() or text[start - 1] in "_.-")) or text[end : end + 1].isalnum():
        return False
    groups = [group for group in written.split(":") if group]
    if len(groups) < 3 or all(len(group) == 2 for group in groups) or not any(map(str.isdigit, written)):
        return False  # slices, namespaces; fingerprints and hardware addresses
    try:
        address = ipaddress.IPv6Address(written)
    except ValueError:
        return False
    return not (
        address.is_loopback
        or address.is_link_local
        or address.is_unspecified
        or address.is_multicast
        or any(address in net for net in _DOCUMENTATION_V6)
    )


# ---- what has to be named -------------------------------------------------------------------------------------------

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember)"
)
_DATE: Final = (
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}|"
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? {_MONTH}\.?,? \d{{2,4}}|"
    rf"{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{2,4}})"
)
_BIRTH_WORDS: Final = (
    "born",
    "birth",
    "dob",
    "d.o.b",
    "geb.",
    "geboren",
    "née",
    "né ",
    "naissance",
    "nacid",
    "nacimiento",
    "nato il",
    "nata il",
)
_BIRTH: Final = re.compile(rf"[^\d\n;]{{2,40}}?(?P<date>{_DATE})(?!\d)")


def _births(lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    for at in places(lower, vocabulary.said(_BIRTH_WORDS)):
        if at and lower[at - 1].isalpha() and not lower.startswith("birth", at):
            continue
        if hit := _BIRTH.match(lower, at):
            yield Found(hit.start("date"), hit.end("date"), "DATE_OF_BIRTH")


_GAP: Final = r"(?:[ _-]?(?:number|num|no|nr|id|code)\b|[ _-]?#)?\.?(?: (?:is|was))?[\s:#=\"'(]{0,5}"
_NUMBER: Final = r"(?P<number>[a-z]{0,5}[-/ ]?\d[\w]{0,3}(?:[- ]?\d\w{0,4}){0,5})(?![\w-])"
_NAMED: Final = tuple(
    (label, stems, re.compile(rf"(?:{words}){_GAP}{_NUMBER}"))
    for label, stems, words in (
        ("EMPLOYEE_ID", ("employee", "staff", "badge", "personnel", "worker", "emp_", "emp ", "emp-", "empid"),
         r"(?:employee|staff|badge|personnel|worker|emp)[ _-]?(?:id|number|no|num|nr|code|#)"),
        ("US_DRIVER_LICENSE", ("driver", "driving"), r"driv(?:er'?s?|ing)[ _-]licen[sc]e"),
        ("PASSPORT_NUMBER", ("passport", "reisepass", "passeport", "pasaporte"), r"passport|reisepass|passeport|pasaporte"),
        ("MEDICAL_RECORD", ("mrn", "medical", "patient"),
         r"mrn\b|medical[ _-]record|patient(?:en)?[ _-]?(?:id|number|nummer|no)"),
        ("PERSONAL_ID", ("customer", "client", "member", "policy", "student", "subscriber", "insur"),
         r"(?:customer|client|member(?:ship)?|policy(?:holder)?|student|subscriber|insurance|insured)[ _-]?"
         r"(?:id|number|no|num|nr|#)"),
        ("PERSONAL_ID", ("kunden", "mitglied", "versicherung", "matrikel", "personalnummer", "mitarbeiter"),
         r"(?:kunden|mitglieds|versicherungs|versicherten|matrikel|personal|mitarbeiter)[ -]?(?:nummer|nr|id)"),
        ("PERSONAL_ID", ("numéro ", "numero ", "número ", "matricule"),
         r"num[ée]ro (?:de )?(?:client|matricule|employ[ée])|matricule|n[úu]mero de (?:cliente|empleado|p[óo]liza)"),
        ("BANK_ACCOUNT", ("account", "acct", "routing", "sort code", "sort_code"),
         r"(?:account|acct|routing)\.?[ _-](?:number|num|no)|sort[ _-]code"),
        ("BANK_ACCOUNT", ("bank account",), r"bank account"),
    )
)  # fmt: skip
_EMPLOYEE: Final = re.compile(r"(?<![\w-])EMP(?:LOYEE)?[-_#]\d{3,10}(?![\w-])")


_NAMED_CHARS: Final = 64
"""From the beginning of a name to the first digit of its number, at most."""


def _named_numbers(text: str, lower: str, vocabulary: Vocabulary, shape: bytes) -> Iterator[Found]:
    for label, stems, form in _NAMED:
        for at in places(lower, vocabulary.said(stems)):
            if shape.find(b"0", at, at + _NAMED_CHARS) < 0:
                continue
            hit = form.match(lower, at)
            if not hit or (at and lower[at - 1].isalpha()):
                continue
            if sum(map(str.isdigit, hit["number"])) >= 4 and not hit["number"].startswith("0x"):
                yield Found(hit.start("number"), hit.end("number"), label)
    for hit in _EMPLOYEE.finditer(text) if "EMP" in text else ():
        yield Found(hit.start(), hit.end(), "EMPLOYEE_ID")


# ---- STREET_ADDRESS -------------------------------------------------------------------------------------------------

_WORD: Final = r"[A-ZÀ-Þ][\w'’-]{0,24}\.?"
_UNIT: Final = r"(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Floor|Room|#)\.? ?#?\w{1,6})?"
_TOWN: Final = r"(?:,\s{1,2}[A-Z][A-Za-z .'-]{1,30}(?:,\s?|\s)[A-Z]{2}\s{1,2}\d{5}(?:-\d{4})?)?"
_NUMBER_FIRST: Final = re.compile(
    rf"(?<![\w.,/#-])\d{{1,6}}(?:[A-Za-z]? (?:[NSEW]{{1,2}}\.? |North |South |East |West )?"
    rf"(?:{_WORD} |\d{{1,3}}(?:st|nd|rd|th) ){{1,3}}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl|Square|Terrace|Parkway|Pkwy|"
    rf"Highway|Hwy|Circle|Cir|Trail|Crescent|Close|Alley)\b\.?{_UNIT}{_TOWN}|"
    r"(?: ?bis| ?ter)?,? (?:rue|avenue|boulevard|place|chemin|allée|impasse|quai|cours) (?:de |du |des |la |le |les |l'|d')*"
    rf"{_WORD}(?:[ -]{_WORD}){{0,3}}(?!\w))"
)
_NUMBER_BEGINS: Final = re.compile(
    rb"0(?<![a-z0_.,/#-]0)0{0,5}+(?=[A-Za-z]? (?:A|0{1,3}(?:st|nd|rd|th) )|(?: ?bis| ?ter)?,? [rabpciq][a-zA]{2})"
)
"""Where `_NUMBER_FIRST` may match, in the text's shape."""
_GERMAN_ENDS: Final = ("straße ", "strasse ", "str. ", "weg ", "platz ", "allee ", "gasse ", "ring ", "ufer ", "damm ")
_GERMAN_STEM: Final = re.compile(r"[\w-]{2,30}")
_GERMAN_NUMBER: Final = re.compile(r"\w{3,7}\.? \d{1,4}(?: ?[a-z])?(?!\w)(?:, ?\d{5} [A-ZÄÖÜ][\wäöüß-]{1,30})?")
_WORD_FIRST: Final = re.compile(
    rf"(?:Calle|Avenida|Avda\.|Plaza|Paseo|Via|Viale|Corso|Rua) (?:de |del |la |las |los |da |do )*{_WORD}"
    rf"(?: {_WORD}){{0,3}},? (?:n\.?º ?)?\d{{1,4}}(?!\w)"
)
_WORDS_FIRST: Final = ("Calle ", "Avenida ", "Avda. ", "Plaza ", "Paseo ", "Via ", "Viale ", "Corso ", "Rua ")


_STREET_WORDS: Final = frozenset(
    """
    street st avenue ave road rd boulevard blvd lane ln drive dr court ct way place pl square terrace parkway pkwy highway
    hwy circle cir trail crescent close alley rue chemin allée impasse quai cours
    """.encode().split()
)
"""One of which `_NUMBER_FIRST` holds."""


def _streets(text: str, shape: bytes, vocabulary: Vocabulary) -> Iterator[Found]:
    done = 0
    for begins in _NUMBER_BEGINS.finditer(shape) if vocabulary.words & _STREET_WORDS else ():
        at = begins.start()
        if at >= done and (whole := _NUMBER_FIRST.match(text, at)):
            done = whole.end()
            yield Found(at, done, "STREET_ADDRESS")
    for at in places(text, _WORDS_FIRST):
        if found := _WORD_FIRST.match(text, at):
            yield Found(at, found.end(), "STREET_ADDRESS")
    for at in places(text, _GERMAN_ENDS):
        if not (number := _GERMAN_NUMBER.match(text, at)):
            continue
        stem = _GERMAN_STEM.match(text[max(0, at - 30) : at][::-1])
        if stem and text[at - stem.end()].isupper():
            yield Found(at - stem.end(), number.end(), "STREET_ADDRESS")
