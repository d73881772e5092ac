"""Private values made at random, and the writings that hide them: what a campaign of canaries plants."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable
from typing import Final

from msgspec import Struct

TERMS: Final = ("falcon ledger", "Borealis Prime", "projekt nordwind", "tbl_salaries_eu", "Quillon", "kiwi-harbor")
"""The user's own words, which the daemon's dictionary has."""
_FIRST_NAMES: Final = """Maria Ada Jonas Wei Priya Fatima Olivier Søren Carmen Yuki Dmitri Aaliyah Tomasz Ingrid Kwame Leila Mateo Siobhan
Björn Chiara Nadia Hiroshi Zofia Emeka Camille Thorsten Ximena Rajesh Greta Luca Anneliese Hamza Noor Bogdan Eszter Marguerite
Tadeusz Kerstin Ignacio Shreya"""
_FIRST: Final = tuple(_FIRST_NAMES.split())
_LAST_NAMES: Final = """Keller Okonkwo Lindqvist Papadopoulos Nakamura Fernández Kowalczyk O'Rourke Vandenberg Chaudhary Haugen Bellucci
Szymanski Dubois Yamaguchi Petrosyan Castellanos Öztürk Abernathy Wickström Grünewald Montclair Tanaka Ivanova Delacroix Mbeki
Rasmussen Villanueva Hofstetter Kapoor Janssens Moreau Takahashi Novakova Quintero Achterberg"""
_LAST: Final = tuple(_LAST_NAMES.split())
_SOUNDS: Final = "ka lo mi ren vex tor bal dun sil quar nep hor zan fel gri mor tal wen"
_SYLLABLES: Final = tuple(_SOUNDS.split())
_STREETS: Final = (
    "{n} {s} Road, {t}, OH {z}",
    "{n} {s} Avenue, {t}, TX {z}",
    "{S}straße {n}, {z} {t}",
    "{n} rue {s}, {z} {t}",
    "Calle {s} {n}, {z} {t}",
)


class Value(Struct, frozen=True):
    """One private value. kind: what it is. said: a sentence that a person writes it in."""

    kind: str
    text: str
    said: str

    def sentence(self, written: str) -> str:
        """With the value written in one way or another."""
        return self.said.replace("{v}", written)


def _name(dice: random.Random) -> str:
    return f"{dice.choice(_FIRST)} {dice.choice(_LAST)}"


def _word(dice: random.Random, syllables: int = 3) -> str:
    return "".join(dice.choice(_SYLLABLES) for _ in range(syllables))


def _of(dice: random.Random, letters: str, count: int) -> str:
    return "".join(dice.choice(letters) for _ in range(count))


def _mail(dice: random.Random) -> str:
    first, last = dice.choice(_FIRST), dice.choice(_LAST)
    local = f"{first}.{last}".lower().translate(str.maketrans("øéńöüäá'", "oenouaa-"))
    plain = local.encode("ascii", "ignore").decode()
    return f"{plain}{dice.randrange(10, 99)}@{_word(dice)}.{dice.choice(('com', 'org', 'de', 'io', 'fr'))}"


def _card(dice: random.Random) -> str:
    prefix, length = dice.choice((("4", 16), ("52", 16), ("37", 15)))
    body = prefix + _of(dice, string.digits, length - len(prefix) - 1)
    digits = body + next(d for d in string.digits if _luhn(body + d) == 0)
    blank = dice.choice(("", " ", "-"))
    return blank.join(digits[at : at + 4] for at in range(0, 16, 4)) if length == 16 else digits


def _luhn(digits: str) -> int:
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 * (d > 9) for d in doubled) % 10


def _iban(dice: random.Random) -> str:
    body = _of(dice, string.digits, 18)
    check = 98 - int(f"{body}131400") % 97  # D = 13, E = 14
    written = f"DE{check:02}{body}"
    return " ".join(written[at : at + 4] for at in range(0, 22, 4)) if dice.random() < 0.5 else written


def _phone(dice: random.Random) -> str:
    line = f"{dice.randrange(200, 999)}{dice.randrange(1000, 9999)}"
    return dice.choice(
        (
            f"+1 {dice.choice((212, 415, 617, 312))} {line[:3]} {line[3:]}",
            f"+49 170 {_of(dice, '123456789', 7)}",
            f"({dice.choice((212, 415, 617, 312))}) {line[:3]}-{line[3:]}",
            f"+33 6 {' '.join(_of(dice, '123456789', 2) for _ in range(4))}",
        )
    )


def _vendor_key(dice: random.Random) -> str:
    letters = string.ascii_letters + string.digits
    return dice.choice(
        (
            f"ghp_{_of(dice, letters, 36)}",
            f"AKIA{_of(dice, string.ascii_uppercase + '234567', 16)}",
            f"sk_live_{_of(dice, letters, 24)}",
            f"glpat-{_of(dice, letters, 20)}",
            f"AIza{_of(dice, letters, 35)}",
        )
    )


def _bare_key(dice: random.Random) -> str:
    return dice.choice((_of(dice, string.ascii_letters + string.digits + "+/", 40), _of(dice, "0123456789abcdef", 32)))


def _address(dice: random.Random) -> str:
    street, town = _word(dice).capitalize(), _word(dice).capitalize()
    shape = dice.choice(_STREETS)
    return shape.format(n=dice.randrange(2, 999), s=street, S=street, t=town, z=_of(dice, "123456789", 5))


def _employee(dice: random.Random) -> str:
    return dice.choice((f"E-{dice.randrange(10000, 99999)}", f"EMP-{dice.randrange(100000, 999999)}"))


def _host(dice: random.Random) -> str:
    return dice.choice(
        (
            f"{dice.choice(('db', 'vault', 'ldap', 'git'))}-{dice.choice(('prod', 'stage'))}-{dice.randrange(10, 99)}.corp.internal",
            f"{_word(dice)}.{_word(dice, 2)}.local",
            f"{_word(dice)}-{dice.randrange(10, 99)}.svc.cluster.local",
        )
    )


_KINDS: Final[dict[str, tuple[Callable[[random.Random], str], tuple[str, ...]]]] = {
    "mail address": (_mail, ("Write to {v} about the invoice.", "My mail address is {v} if they ask.")),
    "card": (_card, ("Charge the card {v} again, please.", "The customer paid with {v} last week.")),
    "IBAN": (_iban, ("Send the money to {v} today.", "The account is {v} as before.")),
    "phone": (_phone, ("Call me at {v} after lunch.", "Her phone number is {v} since spring.")),
    "vendor key": (_vendor_key, ("The deployment still uses {v} for the upload.", "api_key = {v}")),
    "key without a form": (_bare_key, ("The secret access key is {v} and must rotate.", 'secret_key: "{v}"')),
    "name": (_name, ("My colleague {v} called about the contract.", "The complaint of {v} has to be answered.")),
    "street address": (_address, ("Ship it to {v} before noon.", "She lives at {v} with her mother.")),
    "employee id": (_employee, ("Employee id {v} was locked out.", "The badge of employee number {v} is lost.")),
    "host": (_host, ("Log in to {v} and restart the service.", "The dump is on {v} under the old path.")),
    "own word": (lambda dice: dice.choice(TERMS), ("The roadmap of {v} slips again.", "Write tests for {v} today.")),
}
KINDS: Final = tuple(_KINDS)


def value(kind: str, dice: random.Random) -> Value:
    """A value of a kind, never the same twice but for names and own words."""
    make, sentences = _KINDS[kind]
    return Value(kind, make(dice), dice.choice(sentences))


# ---- writings -------------------------------------------------------------------------------------------------------

LOOKALIKES: Final = {
    **dict(zip("aceopxyiAEOPCTKMHB", "асеорхуіАЕОРСТКМНВ", strict=True)),
    **dict(zip("0123456789", "٠١٢٣٤٥٦٧٨٩", strict=True)),
}
CUT: Final = "\x00"
"""Where a value is cut in pieces; whoever plants it puts the pieces in several places."""


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _halves(text: str) -> str:
    middle = len(text) // 2
    return text[:middle] + CUT + text[middle:]


WRITINGS: Final[dict[str, Callable[[str], str]]] = {
    "plain": lambda text: text,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "URL-encoded": _percent,
    "HTML entities": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "JSON escapes": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "over two messages": _halves,
    "over two parts": _halves,
    "over two lines": lambda text: _halves(text).replace(CUT, "\n"),
    "look-alike letters": lambda text: "".join(LOOKALIKES.get(letter, letter) for letter in text),
    "zero-width": lambda text: "\u200b".join(text),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "small letters": str.lower,
    "capitals": str.upper,
    "spelled": lambda text: " ".join(text),
    "hex": lambda text: text.encode().hex(),
}
_BY_CASE: Final = frozenset({"vendor key", "key without a form"})
"""Kinds that are another value in other case."""


def fits(kind: str, writing: str) -> bool:
    """Whether such a value may be written so and still be itself."""
    return not (kind in _BY_CASE and writing in ("small letters", "capitals"))
