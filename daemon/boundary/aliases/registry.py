"""Which form the aliases of a class have. What isn't named here has the shape of its value, as secrets have."""

from __future__ import annotations

from typing import Final

from daemon.boundary.aliases import addresses, dates, numbers, people, shapes
from daemon.boundary.aliases.base import Form

_ADDRESS: Final = Form(addresses.email, "words", lambda value: addresses.unescaped(value).casefold())
_NAME: Final = Form(people.name, "words", str.casefold)
_TERM: Final = Form(people.identifier, "words", str.casefold)
_NUMBER: Final = Form(numbers.number, "digits", numbers.digits)

FORMS: Final[dict[str, Form]] = {
    "EMAIL_ADDRESS": _ADDRESS,
    "PERSON": _NAME,
    "ORGANIZATION": _NAME,
    "STREET_ADDRESS": Form(addresses.street, "words", addresses.spaces_apart),
    "HOSTNAME": Form(addresses.host, "words", str.casefold),
    "IP_ADDRESS": Form(addresses.machine, "exact", str.casefold),
    "PHONE_NUMBER": _NUMBER,
    "CREDIT_CARD": Form(numbers.card, "digits", numbers.digits),
    "IBAN_CODE": Form(numbers.iban),
    "US_SSN": _NUMBER,
    "BANK_ACCOUNT": _NUMBER,
    "DATE_OF_BIRTH": Form(dates.day),
    "TERM": _TERM,
    "CODE_NAME": _TERM,
    "CLOUD_RESOURCE": _TERM,
}
OTHERS: Final = Form(shapes.shape)


def form_of(label: str) -> Form:
    """The form of a class."""
    return FORMS.get(label, OTHERS)
