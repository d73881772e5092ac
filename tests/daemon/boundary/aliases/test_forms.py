"""What aliases look like."""

from __future__ import annotations

import ipaddress
import re
from email.utils import parseaddr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.boundary.aliases.base import MAX_CHARS, Alias, shares_run
from daemon.boundary.aliases.registry import FORMS
from daemon.boundary.masker import Masker
from daemon.signals.pii import Pii
from daemon.signals.secret import Secrets
from tests.fakes.aliases import VALUES


def alias(label: str, value: str, key: bytes = b"k" * 32) -> Alias:
    return Masker(key, [value]).alias(label, value)


@pytest.mark.parametrize(("label", "value"), VALUES)
def test_tells_nothing_of_its_value(label: str, value: str) -> None:
    """No four characters in a row are the value's, with any key; and it is short enough to be held back."""
    for n in range(100):
        made = alias(label, value, bytes([n]) * 32)
        assert not shares_run(made.text, value)
        assert 5 <= len(made.text) <= MAX_CHARS or not made.text.isascii()


@given(st.sampled_from([*FORMS, "ANYTHING"]), st.text(max_size=80))
def test_any_text_has_an_alias(label: str, value: str) -> None:
    """Whatever a signal calls a value of a class gets an alias that can't be mixed up with it."""
    made = alias(label, value)

    assert made.text
    assert len(made.text) <= MAX_CHARS
    assert not shares_run(made.text, value)
    assert "\n" not in made.text
    assert '"' not in made.text
    assert "\\" not in made.text


def test_the_same_value_has_the_same_alias() -> None:
    """A key fixes it, and another key gives another one."""
    for label, value in VALUES:
        assert alias(label, value) == alias(label, value)
        assert alias(label, value) != alias(label, value, b"o" * 32)


def test_two_values_never_share_one() -> None:
    """Of a thousand values of a class each has its own, and so have those that differ in case alone."""
    masker = Masker(b"k" * 32, [])
    values = [f"{first}{second}" for first in "abcdefghij" for second in range(100)]
    for label in FORMS:
        made = [masker.alias(label, f"{label} {value}").text for value in values]
        assert len(set(made)) == len(values)
    masker = Masker(b"k" * 32, [])
    assert masker.alias("PERSON", "Ada Byron").text.upper() == masker.alias("PERSON", "ADA BYRON").text


def test_an_email_address_parses_and_reaches_nobody() -> None:
    """It is one of a domain that no mail is delivered to."""
    made = alias("EMAIL_ADDRESS", "ada@lovelace.dev").text

    assert parseaddr(made)[1] == made
    assert made.rpartition(".")[2] in {"example", "invalid", "test"}


@pytest.mark.parametrize("value", ["4111 1111 1111 1111", "378282246310005", "5555-5555-5555-4444", "6011000990139424"])
def test_a_card_passes_its_test(value: str) -> None:
    """Luhn's sum is 0, and the digits are grouped as they were."""
    made = alias("CREDIT_CARD", value).text
    digits = [int(character) for character in made if character.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]

    assert sum(doubled) % 10 == 0
    assert re.sub(r"\d", "0", made) == re.sub(r"\d", "0", value)


def test_an_account_has_right_check_digits() -> None:
    """The number with its country at its end leaves 1 when divided by 97 (ISO 13616)."""
    made = alias("IBAN_CODE", "DE89 3704 0044 0532 0130 00").text.replace(" ", "")

    assert int("".join(str(int(each, 36)) for each in made[4:] + made[:4])) % 97 == 1


def test_numbers_keep_their_layout() -> None:
    """Marks between digits stay, and one number in two layouts stays one number."""
    spaced, close = alias("PHONE_NUMBER", "+49 170 1234567").text, alias("PHONE_NUMBER", "+491701234567").text

    assert re.fullmatch(r"\+\d\d \d{3} \d{7}", spaced)
    assert spaced.replace(" ", "") == close
    assert re.fullmatch(r"\d{3}-\d{2}-\d{4}", alias("US_SSN", "123-45-6789").text)


def test_dates_are_dates() -> None:
    """A day of birth is another day in the same writing."""
    assert re.fullmatch(r"(?:0[1-9]|1[0-2])/(?:0[1-9]|[12]\d|3[01])/\d{4}", alias("DATE_OF_BIRTH", "12/03/1984").text)
    assert re.fullmatch(r"(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])\.\d{4}", alias("DATE_OF_BIRTH", "31.12.1984").text)
    assert re.fullmatch(r"[A-Z][a-z]{2,8} \d{1,2}, \d{4}", alias("DATE_OF_BIRTH", "March 12, 1984").text)


def test_addresses_of_machines_are_nobodys() -> None:
    """They are of networks that standards keep for examples and tests, and of the same version."""
    for value in ("10.20.30.40", "fe80::1ff:fe23:4567:890a"):
        made = ipaddress.ip_address(alias("IP_ADDRESS", value).text)
        assert made.version == ipaddress.ip_address(value).version
        assert not made.is_global


def test_machines_of_one_domain_stay_below_one() -> None:
    """Their domain has one alias, a name alone keeps a number, and case is no difference."""
    one, other = (alias("HOSTNAME", f"{name}.nordhof.io").text for name in ("db-prod-03", "web-2"))

    assert re.fullmatch(r"[a-z]+\.[a-z]+\.(?:example|invalid|test)", one)
    assert one.partition(".")[2] == other.partition(".")[2]
    assert one.partition(".")[0] != other.partition(".")[0]
    assert re.fullmatch(r"[a-z]+-\d\d", alias("HOSTNAME", "prod-db-01").text)
    assert alias("HOSTNAME", "DB.NORDHOF.IO").text == alias("HOSTNAME", "db.nordhof.io").text.upper()


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("falcon_ledger", r"[a-z]+_[a-z]+"),
        ("FALCON_LEDGER", r"[A-Z]+_[A-Z]+"),
        ("falconLedger", r"[a-z]+[A-Z][a-z]+"),
        ("FalconLedgerService", r"(?:[A-Z][a-z]+){3}"),
        ("falcon-ledger.io", r"[a-z]+-[a-z]+\.[a-z]+"),
        ("db7_main", r"[a-z]+\d\d_[a-z]+"),
    ],
)
def test_an_identifier_stays_one_in_its_case(value: str, form: str) -> None:
    """Words of snake_case, camelCase and dotted names are replaced one by one."""
    assert re.fullmatch(form, alias("TERM", value).text)


def test_a_word_is_the_same_in_all_conventions() -> None:
    """The two words of `falcon_ledger` are those of `FalconLedger`, so code that uses both stays coherent."""
    assert alias("TERM", "falcon_ledger").text.replace("_", "") == alias("TERM", "FalconLedger").text.lower()
    assert alias("PERSON", "Maria Keller").text.split()[1] == alias("PERSON", "Keller").text


@pytest.mark.parametrize(
    ("value", "script"),
    [
        ("김민수", "[\uac00-\ud7a3]{3}"),
        ("王小明", "[\u4e00-\u9fff]{3}"),
        ("マリア", "[\u30a0-\u30ff]{5}"),
        ("Иван Петров", "[А-Я][а-я]+ [А-Я][а-я]+"),
    ],
)
def test_a_name_stays_in_its_script(value: str, script: str) -> None:
    """Korean, Chinese, Japanese and Russian names have aliases that read as such."""
    assert re.fullmatch(script, alias("PERSON", value).text)


def test_an_alias_that_stands_in_the_request_is_not_taken() -> None:
    """Else its reader would turn the user's own word into a value."""
    first = alias("PERSON", "Maria Keller")
    for taken in (first.text.upper(), f"see {first.parts[0][0].lower()}s"):
        assert Masker(b"k" * 32, [taken]).alias("PERSON", "Maria Keller").text != first.text


@pytest.mark.parametrize(("label", "value"), VALUES)
def test_mail_and_machines_are_no_findings(label: str, value: str) -> None:
    """Addresses that stand for others are not found as private when they come back."""
    if label in {"EMAIL_ADDRESS", "HOSTNAME", "IP_ADDRESS"}:
        made = alias(label, value).text
        assert not Pii().find(f"at {made} now")
        assert not Secrets().find(f"at {made} now")
