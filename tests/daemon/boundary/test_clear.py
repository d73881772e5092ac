"""What leaves after clearing."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.boundary.clear import Passage, clear
from daemon.boundary.judge import Clearance
from daemon.boundary.restorer import Index, Restorer
from daemon.boundary.vault import Vault
from daemon.errors import Refused
from daemon.signals.base import Span
from providers.cleared import Place
from providers.contract import Message, Request, Text, Tool, ToolCall
from providers.texts import fields
from tests.fakes.aliases import VALUES

EMAIL = "ada@lovelace.dev"
CARD = "4111 1111 1111 1111"


def asked(*texts: str, tools: tuple[Tool, ...] = ()) -> Request:
    messages = tuple(Message("user", (Text(text),)) for text in texts)
    return Request(id="0" * 16, model="cloud", messages=messages, protocol="test", tools=tools)


def spans_of(request: Request, *values: tuple[str, str]) -> tuple[Span, ...]:
    """The first place of each (label, value) in the request."""
    found = []
    for label, value in values:
        field = next(field for field in fields(request) if value in field.text)
        start = field.text.index(value)
        found.append(Span(field.path, start, start + len(value), label))
    return tuple(found)


def masked(request: Request, *values: tuple[str, str]) -> tuple[Request, dict[str, str], dict[str, int]]:
    """What leaves, alias to value, and how many of each class."""
    passage = clear(request, Clearance("masked", spans_of(request, *values)), Place.CLOUD, Vault(b"k" * 32))
    return passage.cleared.request, {alias.text: alias.value for alias in passage.aliases}, dict(passage.cleared.masks)


def turned_back(text: str, passage: Passage) -> str:
    restorer = Restorer(Index(passage.aliases))
    return restorer.feed(text) + restorer.finish()


def replaced(request: Request, passage: Passage) -> str:
    """The texts with what the passage tells of them put in its places."""
    texts = []
    for field in fields(request):
        text = field.text
        for each in sorted(passage.replaced, key=lambda each: -each.start):
            if each.path == field.path:
                text = text[: each.start] + each.alias.text + text[each.end :]
        texts.append(text)
    return "\n".join(texts)


def all_text(request: Request) -> str:
    return "\n".join(field.text for field in fields(request))


def test_values_are_replaced() -> None:
    """A found value leaves as an alias of its class, which stands for it alone."""
    request, values, masks = masked(
        asked(f"Write to {EMAIL} about {CARD}."), ("EMAIL_ADDRESS", EMAIL), ("CREDIT_CARD", CARD)
    )

    text = all_text(request)
    assert EMAIL not in text
    assert CARD not in text
    assert text == "Write to {} about {}.".format(*values)
    assert list(values.values()) == [EMAIL, CARD]
    assert masks == {"EMAIL_ADDRESS": 1, "CREDIT_CARD": 1}


def test_a_value_is_replaced_wherever_it_stands() -> None:
    """A value that a signal saw in one place is masked in all, tool arguments and descriptions included."""
    tool = Tool("look", f"Looks {EMAIL} up", {"type": "object", "properties": {"who": {"default": EMAIL}}})
    request = asked(f"I am {EMAIL}", f"again: {EMAIL}!", tools=(tool,))
    call = Message("assistant", (ToolCall("1", "look", f'{{"who": "{EMAIL}"}}'),))
    request = Request(
        id=request.id, model="cloud", messages=(*request.messages, call), protocol="test", tools=request.tools
    )

    out, values, masks = masked(request, ("EMAIL_ADDRESS", EMAIL))

    assert EMAIL not in all_text(out)
    assert len(values) == 1
    assert masks == {"EMAIL_ADDRESS": 5}


def test_the_same_value_has_the_same_alias_every_turn() -> None:
    """The prefix of a conversation keeps its bytes, so a provider's prompt cache still hits."""
    vault = Vault()
    first = asked(f"I am {EMAIL}")
    second = asked(f"I am {EMAIL}", "and now?")
    out = [
        clear(request, Clearance("masked", spans_of(request, ("EMAIL_ADDRESS", EMAIL))), Place.CLOUD, vault)
        for request in (first, second)
    ]

    assert out[0].cleared.request.messages[0] == out[1].cleared.request.messages[0]


def test_who_sees_two_clients_cannot_tell_that_a_value_is_the_same() -> None:
    """Each client has aliases of its own, each session that it names too, and each run of the daemon."""
    request = asked(f"I am {EMAIL}")
    vault = Vault()
    places = [
        (request, vault),
        (replace(request, client="zed"), vault),
        (replace(request, client="zed", session="1"), vault),
        (request, Vault()),
    ]

    out = {
        all_text(
            clear(each, Clearance("masked", spans_of(each, ("EMAIL_ADDRESS", EMAIL))), Place.CLOUD, of).cleared.request
        )
        for each, of in places
    }

    assert len(out) == len(places)


def test_a_value_that_cannot_be_replaced_does_not_leave() -> None:
    """If a masked value also stands in a tool's name or a JSON key, the request stays."""
    with pytest.raises(Refused):
        masked(asked(f"I am {EMAIL}", tools=(Tool(EMAIL, "", {}),)), ("EMAIL_ADDRESS", EMAIL))
    with pytest.raises(Refused):
        masked(asked(f"I am {EMAIL}", tools=(Tool("t", "", {EMAIL: 1}),)), ("EMAIL_ADDRESS", EMAIL))


def test_what_nobody_was_asked_about_does_not_leave() -> None:
    """As long as the user's word is outstanding, nothing leaves, whatever the rest of the clearance says."""
    request = asked(f"Write to {EMAIL}.")
    clearance = Clearance("open", asks=spans_of(request, ("EMAIL_ADDRESS", EMAIL)))

    with pytest.raises(Refused):
        clear(request, clearance, Place.CLOUD, Vault())
    assert clear(request, clearance, Place.DEVICE, Vault()).cleared.request == request


def test_device_clearance_does_not_leave() -> None:
    """What has to stay is let through to this machine only."""
    request = asked("hi")
    for place in (Place.LAN, Place.CLOUD):
        with pytest.raises(Refused):
            clear(request, Clearance("device"), place, Vault())
    assert clear(request, Clearance("device"), Place.DEVICE, Vault()).cleared.request == request


def test_open_clearance_leaves_as_it_is() -> None:
    """Nothing found, nothing changed."""
    request = asked("hi")

    assert clear(request, Clearance("open"), Place.CLOUD, Vault()).cleared.request == request


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20), st.sampled_from(["A", "B"])), max_size=6),
)
def test_masking_and_restoring_is_the_identity(text: str, marks: list[tuple[int, int, str]]) -> None:
    """However spans lie and overlap, the restored text is the original one."""
    request = asked(text)
    spans = tuple(
        Span("messages[0].parts[0]", start, min(start + length, len(text)), label)
        for start, length, label in marks
        if start < len(text)
    )

    passage = clear(request, Clearance("masked", spans), Place.CLOUD, Vault())

    (message,) = passage.cleared.request.messages
    (part,) = message.parts
    assert isinstance(part, Text)
    assert turned_back(part.text, passage) == text
    assert replaced(request, passage) == all_text(passage.cleared.request)


def test_what_was_replaced_is_told_by_its_places() -> None:
    """Those where a value was found and all others, in other fields and in arguments too; nothing is told that stayed."""
    call = Message("assistant", (ToolCall("1", "look", f'{{"who": "{EMAIL}", "n": [1, "Ann"]}}'),))
    request = asked(f"I am {EMAIL}, Ann.", f"{EMAIL}{EMAIL} again, Annual")
    request = msgspec.structs.replace(request, messages=(*request.messages, call))
    spans = spans_of(request, ("EMAIL_ADDRESS", EMAIL), ("PERSON", "Ann"))
    passage = clear(request, Clearance("masked", spans), Place.CLOUD, Vault())

    assert replaced(request, passage) == all_text(passage.cleared.request)
    assert len(passage.replaced) == passage.cleared.masks["EMAIL_ADDRESS"] + passage.cleared.masks["PERSON"] == 5
    assert clear(request, Clearance("open"), Place.CLOUD, Vault()).replaced == ()


def test_a_name_is_masked_in_any_case() -> None:
    """A person found once is masked where they are written in other letters, and comes back as they were written."""
    request = asked("I am Ada Byron.", "ADA BYRON here, ada byron there.")
    passage = clear(request, Clearance("masked", spans_of(request, ("PERSON", "Ada Byron"))), Place.CLOUD, Vault())

    text = all_text(passage.cleared.request)

    assert "byron" not in text.lower()
    assert turned_back(text, passage) == all_text(request)


def test_an_alias_that_the_text_holds_already_is_not_used() -> None:
    """A conversation that quotes an alias gets another one, and comes back whole."""
    first, values, _ = masked(asked("I am Ada Byron."), ("PERSON", "Ada Byron"))
    (alias,) = values
    request = asked(f"I am Ada Byron, not {alias}.")
    passage = clear(
        request, Clearance("masked", spans_of(request, ("PERSON", "Ada Byron"))), Place.CLOUD, Vault(b"k" * 32)
    )

    text = all_text(passage.cleared.request)

    assert alias in all_text(first)
    assert text.count(alias) == 1
    assert turned_back(text, passage) == all_text(request)


KEY = "sk-proj-" + "Zr8mQ2vT5xWk9LpN4bHs7JdF"


@pytest.mark.parametrize("around", ["{}", "curl -d key={} https://a.example", "Bearer {}", "{0}\n{0}"])
def test_an_alias_that_was_not_turned_back_is_left(around: str) -> None:
    """A secret's alias that a tool call was left with stands in the next turn, and is taken for a secret, with what is
    around it or alone: it leaves as the alias that it is, beside the secret's own, and all comes back as it was.
    """
    vault = Vault(b"k" * 32)
    first = asked(f"key={KEY}")
    [alias] = clear(
        first,
        Clearance("masked", spans_of(first, ("API_KEY", KEY)), secrets=frozenset({"API_KEY"})),
        Place.CLOUD,
        vault,
    ).aliases
    call = around.format(alias.text)
    request = asked(f"key={KEY}", call)
    for taken in (call, alias.text):
        spans = (*spans_of(request, ("API_KEY", KEY)), *spans_of(request, ("API_KEY", taken)))
        passage = clear(request, Clearance("masked", spans, secrets=frozenset({"API_KEY"})), Place.CLOUD, vault)

        out = [field.text for field in fields(passage.cleared.request)]
        assert KEY not in "\n".join(out)
        assert out[0] == f"key={alias.text}"
        assert out[1].count(alias.text) == call.count(alias.text)
        if taken == alias.text:
            assert out[1] == call
            assert passage.cleared.masks == {"API_KEY": 1}


def test_a_secret_beside_an_alias_is_masked() -> None:
    """In one find that holds an alias of ours and another secret, the other one does not leave."""
    vault = Vault(b"k" * 32)
    secrets = frozenset({"API_KEY"})
    first = asked(f"key={KEY}")
    [alias] = clear(
        first, Clearance("masked", spans_of(first, ("API_KEY", KEY)), secrets=secrets), Place.CLOUD, vault
    ).aliases
    other = "Qm3XtR7yLw2Kd9Pz"
    request = asked(f"key={KEY}", f"{other}.{alias.text}.{other}")
    spans = spans_of(request, ("API_KEY", KEY), ("API_KEY", f"{other}.{alias.text}.{other}"))
    passage = clear(request, Clearance("masked", spans, secrets=secrets), Place.CLOUD, vault)

    out = all_text(passage.cleared.request)

    assert KEY not in out
    assert other not in out
    assert out.count(alias.text) == 2


@pytest.mark.parametrize(("label", "value"), VALUES)
@pytest.mark.parametrize(
    "around", ["{}", "x{}x", "1{}1", "“{}”,", "a_{}_b", "{0}{0}", "({0})-{0}", "{0}.{0}@{0}", "ß{}İ"]
)
def test_every_class_comes_back_from_anywhere(label: str, value: str, around: str) -> None:
    """Whatever stands beside it, the text is the same again after masking and restoring."""
    text = around.format(value)
    request = asked(text)
    start = text.index(value)
    spans = (Span("messages[0].parts[0]", start, start + len(value), label),)

    passage = clear(request, Clearance("masked", spans), Place.CLOUD, Vault())

    out = all_text(passage.cleared.request)
    assert out != text
    assert turned_back(out, passage) == text


@pytest.mark.parametrize(
    ("label", "value", "elsewhere"),
    [
        ("EMAIL_ADDRESS", EMAIL, "ada%40lovelace.dev"),
        ("PASSWORD", "S3cr%40tP4ss", "S3cr@tP4ss"),
        ("PASSWORD", "S3cr@tP4ss", "S3cr%40tP4ss"),
        ("PASSWORD", "hunter2-Zebra!9", "HUNTER2-ZEBRA!9"),
        ("PASSWORD", "hunter2-Zebra!9", "hunter2-\u200bZebra!9"),
        ("IP_ADDRESS", "84.17.52.113", "84-17-52-113"),
        ("IBAN_CODE", "DE89370400440532013000", "de89370400440532013000"),
    ],
)
def test_a_value_is_replaced_in_any_writing(label: str, value: str, elsewhere: str) -> None:
    """A value is masked where it stands escaped, in other case or with other marks, and comes back as it was there."""
    request = asked(f"it is {value} here", f"and {elsewhere} there")
    passage = clear(request, Clearance("masked", spans_of(request, (label, value))), Place.CLOUD, Vault())

    out = all_text(passage.cleared.request)

    assert elsewhere not in out
    assert turned_back(out, passage) == all_text(request)


def test_an_escaped_address_comes_back_in_both_writings() -> None:
    """An answer may undo the escapes of an alias."""
    value = "ada%40lovelace.dev"
    request = asked(f"open /?m={value}")
    passage = clear(request, Clearance("masked", spans_of(request, ("EMAIL_ADDRESS", value))), Place.CLOUD, Vault())
    [alias] = passage.aliases

    assert turned_back(f"{alias.text} {alias.text.replace('%40', '@')}.", passage) == f"{value} {EMAIL}."


def test_what_opens_something_does_so_everywhere() -> None:
    """A value that is a secret in one place and an address in another is a secret."""
    request = asked(f"mail {EMAIL}", f"password={EMAIL}")
    spans = (
        Span("messages[0].parts[0]", 5, 5 + len(EMAIL), "EMAIL_ADDRESS"),
        Span("messages[1].parts[0]", 9, 9 + len(EMAIL), "PASSWORD"),
    )
    passage = clear(request, Clearance("masked", spans, secrets=frozenset({"PASSWORD"})), Place.CLOUD, Vault())

    assert [alias.label for alias in passage.aliases] == ["PASSWORD"]


def test_a_secret_in_other_case_does_not_leave_where_nothing_can_be_replaced() -> None:
    """Names of tools are held against secrets in any case, and a password of letters only as it is."""
    request = asked("it is hunter2-Zebra", tools=(Tool("HUNTER2-ZEBRA", "", {}),))
    with pytest.raises(Refused):
        masked(request, ("PASSWORD", "hunter2-Zebra"))

    request = asked("it is secret", tools=(Tool("Secret", "", {}),))
    assert masked(request, ("PASSWORD", "secret"))[0].tools[0].name == "Secret"


def test_letters_of_a_name_within_a_word_are_no_name() -> None:
    """A name is masked where it stands, begins or ends a word, in humps too, and left where a longer word has its letters."""
    words = "smartinput martinique runMartinNow 马Martin马 user_martin"
    out, values, _ = masked(asked("I am Martin", words), ("PERSON", "Martin"))

    text = all_text(out).split("\n")[1].split()
    assert text[0] == "smartinput"
    assert "martin" not in " ".join(text[1:]).lower()
    assert "Martin" in values.values()
