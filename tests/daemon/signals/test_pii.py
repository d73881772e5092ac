"""What points at a person, and what only looks like it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.pii import Pii, luhn
from tests.fakes.growth import grows_with_length_alone

FIND = Pii().find


def found(text: str) -> list[tuple[str, str]]:
    return [(hit.label, text[hit.start : hit.end]) for hit in FIND(text)]


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("write to mara.lind@nordhof.com, please", "EMAIL_ADDRESS", "mara.lind@nordhof.com"),
        ("<Jo+news@mail.nordhof.co.uk>", "EMAIL_ADDRESS", "Jo+news@mail.nordhof.co.uk"),
        ("mailto:jörg@müller.de?subject=x", "EMAIL_ADDRESS", "jörg@müller.de"),
        ("email: kim@corp.intranetx", "EMAIL_ADDRESS", "kim@corp.intranetx"),
        ("?user=kim@nordhof.io&x=1", "EMAIL_ADDRESS", "kim@nordhof.io"),
        ("call (415) 867-2291 today", "PHONE_NUMBER", "(415) 867-2291"),
        ("415-867-2291", "PHONE_NUMBER", "415-867-2291"),
        ("415.867.2291 x204", "PHONE_NUMBER", "415.867.2291 x204"),
        ("at +44 20 7183 8750.", "PHONE_NUMBER", "+44 20 7183 8750"),
        ("+4915123456789", "PHONE_NUMBER", "+4915123456789"),
        ("Tel.: 030 901820", "PHONE_NUMBER", "030 901820"),
        ("phone: 0361 55 12 33", "PHONE_NUMBER", "0361 55 12 33"),
        ("mon numéro est 06 12 34 56 78", "PHONE_NUMBER", "06 12 34 56 78"),
        ("电话：13812345678", "PHONE_NUMBER", "13812345678"),
        ("(0911) 55512-33 fax", "PHONE_NUMBER", "(0911) 55512-33"),
        ("card 4539 1488 0343 6467 12/29", "CREDIT_CARD", "4539 1488 0343 6467"),
        ("5425233430109903", "CREDIT_CARD", "5425233430109903"),
        ("3782-822463-10005", "CREDIT_CARD", "3782-822463-10005"),
        ("my debit card 6759649826438453", "CREDIT_CARD", "6759649826438453"),
        ("pay to DE89 3704 0044 0532 0130 00 SOON", "IBAN_CODE", "DE89 3704 0044 0532 0130 00"),
        ("GB29NWBK60161331926819", "IBAN_CODE", "GB29NWBK60161331926819"),
        ("my iban is gb29nwbk60161331926819", "IBAN_CODE", "gb29nwbk60161331926819"),
        ("SSN 536-90-4399", "US_SSN", "536-90-4399"),
        ("536-90-4399", "US_SSN", "536-90-4399"),
        ("social security number: 536904399", "US_SSN", "536904399"),
        ("codice RSSMRA85T10A562S", "NATIONAL_ID", "RSSMRA85T10A562S"),
        ("CPF 390.533.447-05", "NATIONAL_ID", "390.533.447-05"),
        ("DNI 54362315K", "NATIONAL_ID", "54362315K"),
        ("henkilötunnus 131052-308T", "NATIONAL_ID", "131052-308T"),
        ("NHS number 943 476 5870", "NATIONAL_ID", "943 476 5870"),
        ("pesel: 44051401359", "NATIONAL_ID", "44051401359"),
        ("national insurance AB 12 34 56 C", "NATIONAL_ID", "AB 12 34 56 C"),
        ("write o'brien@nordhof.com", "EMAIL_ADDRESS", "o'brien@nordhof.com"),
        ("scp build.tar deploy@host.nordhof.net:/srv/www", "HOSTNAME", "host.nordhof.net"),
        ("ssh://git@code.nordhof.net/x.git", "HOSTNAME", "code.nordhof.net"),
        ("customer id: C-48213", "PERSONAL_ID", "C-48213"),
        ("policy number POL-4821-33", "PERSONAL_ID", "POL-4821-33"),
        ("Kundennummer: 4821339", "PERSONAL_ID", "4821339"),
        ("numéro de client 4821339", "PERSONAL_ID", "4821339"),
        ("from 52.14.3.9 came", "IP_ADDRESS", "52.14.3.9"),
        ("http://192.168.4.20:8080/", "IP_ADDRESS", "192.168.4.20"),
        ("ping 9.3.2.1", "IP_ADDRESS", "9.3.2.1"),
        ("2a00:1450:4001:82b::200e", "IP_ADDRESS", "2a00:1450:4001:82b::200e"),
        ("[2a00:1450:4001:082b:0000:0000:0000:200e]:443", "IP_ADDRESS", "2a00:1450:4001:082b:0000:0000:0000:200e"),
        ("she was born on 3 March 1985", "DATE_OF_BIRTH", "3 March 1985"),
        ("DOB: 1985-03-12", "DATE_OF_BIRTH", "1985-03-12"),
        ("Date of Birth 03/12/1985", "DATE_OF_BIRTH", "03/12/1985"),
        ("geboren am 12.03.1985", "DATE_OF_BIRTH", "12.03.1985"),
        ("employee id: E-48213", "EMPLOYEE_ID", "E-48213"),
        ('"employee_id": "482131"', "EMPLOYEE_ID", "482131"),
        ("see EMP-48213", "EMPLOYEE_ID", "EMP-48213"),
        ("driver's license number D1234567", "US_DRIVER_LICENSE", "D1234567"),
        ("passport no. C01X00T47", "PASSPORT_NUMBER", "C01X00T47"),
        ("MRN: 00482131", "MEDICAL_RECORD", "00482131"),
        ("account number 12345678", "BANK_ACCOUNT", "12345678"),
        ("at 742 Evergreen Terrace, Springfield, IL 62704", "STREET_ADDRESS", "742 Evergreen Terrace, Springfield, IL 62704"),
        ("wohnt Lindenstraße 12a, 10969 Berlin", "STREET_ADDRESS", "Lindenstraße 12a, 10969 Berlin"),
        ("au 12 rue de la Paix", "STREET_ADDRESS", "12 rue de la Paix"),
        ("vive en Calle de Alcalá, 45", "STREET_ADDRESS", "Calle de Alcalá, 45"),
    ],
)  # fmt: skip
def test_a_person_is_found(text: str, label: str, value: str) -> None:
    """The label and the very place are right, and nothing else is found."""
    assert found(text) == [(label, value)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "jane@example.com and ops@mail.example.org and a@b.test and x@y.invalid",
        "user@localhost, root@localhost.localdomain",
        "git clone git@github.com:nearloop/nearloop.git",
        "scp build.tar deploy@host.example.net:/srv/www",
        "ssh://git@github.com/x.git",
        "optik-users@lists.nordhof.net and web-sig@nordhof.org",
        "Co-authored-by: bot <noreply@nordhof.com>",
        "@app.route('/x')\n@pytest.mark.slow",
        "y = W@x.shape + a@b.mean()",
        "logo@2x.png and react@18.2.0 and @types/node@20.1.1",
        "version 10.4.2.1, v1.2.3.4, pkg==1.2.3.4, Chrome/120.0.6099.71",
        "see section 2.1.3.4 and OID 1.3.6.1.4.1.311",
        "127.0.0.1 0.0.0.0 ::1 169.254.1.1 192.0.2.7 198.18.7.9 198.51.100.3 203.0.113.9 255.255.255.0 8.8.8.8",
        "192.168.1.1 is the router, 10.0.2.15 the machine, 172.17.0.1 the bridge",
        "10.0.0.0/8 172.16.0.0/12 fe80::1 2001:db8::1",
        "x[1::2], y[::-1], std::vector, dead::beef, a::b",
        "aa:bb:cc:dd:ee:ff and 00:11:22:33:44:55:66:77 at 12:34:56",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "d41d8cd98f00b204e9800998ecf8427e",
        "at 1700000000 and 1700000000123 and 2024-01-15T12:34:56.789+0100",
        "2024-01-15 12:34:56,789 took 123456 ms",
        "order 4539148803436468",
        "order no. 1234567890123456",
        "isbn 978-3-16-148410-0",
        "part 1234-5678-90",
        "pi is 3.14159265358979 and 0.4539148803436467",
        "arn:aws:iam::123456789012:role/x",
        "+1234567890123456789",
        "-old 1\n+12345678\n",
        "000-12-3456 666-12-3456",
        "DE89 3704 0044 0532 0130 01",
        "born in Berlin; released 2024-01-15",
        "call f(1234567) or call 1234567 times",
        "text 12345678 phones",
        "the passport of 3 persons, account number unknown, employee ids",
        "a string 12 long, 3 places 4 ways",
        "390.533.447-06",
    ],
)
def test_what_only_looks_like_a_person_is_left_alone(text: str) -> None:
    """Versions, hashes, times, examples and code are no findings."""
    assert found(text) == []


def test_a_long_text_is_found_whole() -> None:
    """Several families stand side by side."""
    text = "Mara (mara@nordhof.com, +44 20 7183 8750) paid with 4539148803436467 from 52.14.3.9."

    assert [label for label, _ in found(text)] == ["EMAIL_ADDRESS", "PHONE_NUMBER", "CREDIT_CARD", "IP_ADDRESS"]


@pytest.mark.parametrize(("digits", "rest"), [("4539148803436467", 0), ("4539148803436468", 1), ("0", 0)])
def test_luhn(digits: str, rest: int) -> None:
    """A valid number has rest 0."""
    assert luhn(digits) == rest


SIGNS = st.text(st.sampled_from(list("01234567 .-+()@:/azAZéß한\n\"'=_%#$<>{}[]")), max_size=300)


@given(st.text() | SIGNS)
def test_any_text_is_read(text: str) -> None:
    """No error; hits in order, inside the text, none on another; the same each time."""
    hits = FIND(text)

    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
    assert all(left.end <= right.start for left, right in itertools.pairwise(hits))
    assert FIND(text) == hits


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1",
        ".",
        "@",
        " ",
        "a@",
        "a@b.co",
        "1.",
        "4 ",
        "1-",
        "+1 ",
        "::",
        "a:",
        "QUJD",
        "12 Aaaa ",
        "born ",
        "phone ",
        "1/",
        "(1)",
        "DE89 ",
        "IBAN ",
    ],
)
def test_time_grows_with_length_alone(unit: str) -> None:
    """No text makes a pattern go back and forth: eight times the length is not more than twenty times the work."""
    assert grows_with_length_alone(FIND, unit)


@pytest.mark.parametrize("text", ["ada@lovelace.comPlease", "ada.byron@lovelace.complease", "ada@lovelace.devNow"])
def test_letters_glued_to_an_address_belong_to_it(text: str) -> None:
    """What was meant to stand behind it is masked with it."""
    assert found(f"to {text} now") == [("EMAIL_ADDRESS", text)]
    assert found("y = a@b.compute(x) + w@x.Then") == []


@pytest.mark.parametrize("text", ["a@b.orga@b.org", "ada@lovelace.devc@d.org", "a@b.orgx@y.dez@w.net"])
def test_glued_addresses_are_one(text: str) -> None:
    """Of mail addresses without anything between them, none leaves its beginning behind."""
    assert [(hit.start, hit.end) for hit in FIND(f"to {text}.")] == [(3, 3 + len(text))]
