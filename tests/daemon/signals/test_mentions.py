"""What was found once, where it is written otherwise."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.signals.base import Kind, Observation, Span
from daemon.signals.mentions import mentions
from providers.texts import Field


def found(label: str, value: str, text: str, *, fixed: bool = False) -> list[tuple[str, str]]:
    """What is seen in a second text when a value was found in a first one."""
    fields = (Field("a", value), Field("b", text, fixed))
    seen = Observation(
        signal="pii", kind=Kind.PRIVACY, name="pii", label=label, spans=(Span("a", 0, len(value), label),)
    )
    return [
        (span.label, text[span.start : span.end])
        for spans in mentions(fields, [seen]).values()
        for span in sorted(spans, key=lambda span: span.start)
    ]


def test_a_persons_words_are_found() -> None:
    """Alone, in addresses, with an initial, in names of files."""
    assert found("PERSON", "Jane Kowalski", "Kowalski said: jkowalski@example.com, jane.kowalski.pdf, JaneDoe") == [
        ("PERSON", "Kowalski"),
        ("PERSON", "jkowalski"),
        ("PERSON", "jane.kowalski"),
        ("PERSON", "Jane"),
    ]


def test_an_ordinary_word_is_none() -> None:
    """What is a word of sentences as well, in general or in this very text."""
    assert found("PERSON", "Will Grant", "Will you grant it? Grant it.") == []
    assert found("PERSON", "Tamar Rosenholz", "the tamar is a river; Tamar flows") == []


def test_an_organisations_name_is_found_in_code() -> None:
    """By its first word, unless that is an ordinary one."""
    assert found("ORGANIZATION", "Tannhauser Corp", "from tannhauser_billing import TannhauserClient") == [
        ("ORGANIZATION", "tannhauser"),
        ("ORGANIZATION", "Tannhauser"),
    ]
    assert found("ORGANIZATION", "Summit Partners", "at the Summit of summit_x") == []


def test_the_domain_of_an_address_is_found() -> None:
    """Of a company; not of those that give everybody a mailbox."""
    assert found("EMAIL_ADDRESS", "mara@nordhof.com", "see https://nordhof.com/x") == [("HOSTNAME", "nordhof.com")]
    assert found("EMAIL_ADDRESS", "mara@gmail.com", "see https://gmail.com/x") == []


def test_what_can_not_be_replaced_is_left_alone() -> None:
    """A tool's name would keep the request here for a word of anybody's."""
    assert found("PERSON", "Jane Kowalski", "kowalski_tool", fixed=True) == []


def test_words_in_pictures_are_found() -> None:
    """Nobody can change them, and they can be painted over; another fixed text is left alone."""
    sight = Field("messages[0].parts[1].sight", "Invoice for Kowalski", fixed=True)
    seen = Observation(signal="pii", kind=Kind.PRIVACY, name="pii", label="PERSON", spans=(Span("a", 0, 13, "PERSON"),))
    more = mentions((Field("a", "Jane Kowalski"), sight, replace(sight, path="tools[0].name")), [seen])

    assert more == {"PERSON": [Span(sight.path, 12, 20, "PERSON", fixed=True)]}
