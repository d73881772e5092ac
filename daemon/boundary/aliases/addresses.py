"""Aliases of addresses: of mail, of machines, of houses.

All lie where nobody lives: RFC 2606 and RFC 6761 (names), RFC 2544, RFC 5737 and RFC 3849 (numbers).
"""

from __future__ import annotations

import re
from typing import Final

from daemon.boundary.aliases.base import Roll
from daemon.boundary.aliases.words import WORD, cased, word
from daemon.signals.as_read import Reading
from daemon.signals.public_domains import registered

_AT_OF_URLS: Final = "%40"
_TOPS: Final = ("example", "invalid", "test")
_NETWORKS: Final = ("198.18.{}.{}", "198.19.{}.{}", "203.0.113.{1}", "192.0.2.{1}")
_WAYS: Final = ("Rd", "St", "Way", "Ln", "Ct", "Row")


def email(value: str, roll: Roll) -> str:
    """An address that parses and that no mail can reach; escaped as URLs have it, if the value is."""
    dice = roll(unescaped(value).casefold())
    sign = _AT_OF_URLS if _AT_OF_URLS in value else "@"
    made = f"{word(dice)}{sign}{word(dice)}.{dice.pick(_TOPS)}"
    return cased(made, "".join(filter(str.isalpha, value))) if value.isupper() else made


def unescaped(value: str) -> str:
    """A mail address as it is read."""
    return Reading(value).text


def machine(value: str, roll: Roll) -> str:
    """An address of the same version of the Internet protocol."""
    dice = roll(value.casefold().replace("-", "."))
    if ":" in value:
        return f"2001:db8:{dice.below(0x10000):x}:{dice.below(0x10000):x}::{1 + dice.below(0xFFFE):x}"
    made = dice.pick(_NETWORKS).format(dice.below(256), 1 + dice.below(254))
    return made.replace(".", "-") if "-" in value else made


def host(value: str, roll: Roll) -> str:
    """A name that no name server knows. What is below one domain stays below one; a name without a domain gets none."""
    labels = value.casefold().split(".")
    domain = registered(labels)
    if "." not in domain:
        dice = roll(value.casefold())
        return f"{word(dice)}-{10 + dice.below(90)}"
    below = roll(domain)
    made = f"{word(below)}.{below.pick(_TOPS)}"
    own = value.casefold().removesuffix(domain)
    made = f"{word(roll(own))}.{made}" if own else made
    return made.upper() if value.isupper() else made


def street(value: str, roll: Roll) -> str:
    """A number, a street that isn't one, and what kind of way it is."""
    dice = roll(value.casefold())
    made = f"{10 + dice.below(990)} {cased(word(dice), 'A')} {dice.pick(_WAYS)}"
    letters = "".join(WORD.findall(value))
    return made.upper() if letters.isupper() and len(letters) > 1 else made


def spaces_apart(value: str) -> str:
    """An address in one case, and with one blank between its words."""
    return re.sub(r"\s+", " ", value).casefold()
