"""What a provider signed goes back to it byte for byte, and nothing that it didn't sign goes with a signature."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from daemon.boundary.clear import clear
from daemon.boundary.judge import Clearance
from daemon.boundary.signed import KEPT_S, Signed, SignedCall, SignedThoughts, signatures
from daemon.boundary.vault import Vault
from daemon.errors import Refused
from daemon.signals.base import Span
from providers.cleared import Place
from providers.contract import Message, Request, Text, Thought, ToolCall
from tests.fakes.clock import HeldClock

NAME = "Ada Lovelace"
ASKED = Request(
    id="0" * 16,
    model="cloud",
    protocol="t",
    client="tests",
    session="s",
    messages=(Message("user", (Text(f"I am {NAME}"),)), Message("assistant", (Thought(f"{NAME}?", "sig"), Text("hi")))),
)
SIGNED = Signed("sig", "Fadzuk Hegzin?", f"{NAME}?", False, '{"index":0}')
MASKED = Clearance(
    "masked", (Span("messages[0].parts[0]", 5, 5 + len(NAME), "PERSON"), Span("messages[1].parts[0]", 0, 12, "PERSON"))
)


def thought_sent(request: Request, vault: Vault, clearance: Clearance = MASKED, provider: str = "work") -> Thought:
    part = clear(request, clearance, Place.CLOUD, vault, provider).cleared.request.messages[1].parts[0]
    assert isinstance(part, Thought)
    return part


def knowing(request: Request = ASKED, signed: Signed | SignedCall = SIGNED) -> Vault:
    vault = Vault(b"k" * 32)
    vault.signed.keep(request, "work", signed)
    return vault


@pytest.mark.parametrize("clearance", [MASKED, Clearance("open")])
def test_what_comes_back_unchanged_goes_out_as_it_was_signed(clearance: Clearance) -> None:
    """Also under aliases that this request would not have, and with nothing to mask."""
    assert thought_sent(ASKED, knowing(), clearance) == Thought("Fadzuk Hegzin?", "sig", note='{"index":0}')


def test_new_finds_do_not_change_it() -> None:
    """A word of the provider's own that is private by now is masked everywhere but in what it signed."""
    signed = replace(SIGNED, text="falcon ledger?", shown="falcon ledger?")
    said = Message("assistant", (Thought("falcon ledger?", "sig"), Text("falcon ledger")))
    asked = replace(ASKED, messages=(ASKED.messages[0], said))
    found = tuple(Span(f"messages[1].parts[{n}]", 0, 13, "TERM") for n in (0, 1))

    sent = clear(asked, Clearance("masked", found), Place.CLOUD, knowing(signed=signed), "work").cleared.request

    thought, text = sent.messages[1].parts
    assert thought == Thought("falcon ledger?", "sig", note='{"index":0}')
    assert isinstance(text, Text) and "falcon" not in text.text


@pytest.mark.parametrize(
    ("request_", "provider"),
    [
        (ASKED, "other"),
        (replace(ASKED, client="another"), "work"),
        (replace(ASKED, session="another"), "work"),
        (replace(ASKED, messages=(ASKED.messages[0], Message("assistant", (Thought(f"{NAME}!", "sig"),)))), "work"),
        (replace(ASKED, messages=(ASKED.messages[0], Message("assistant", (Thought(f"{NAME}?", "sih"),)))), "work"),
    ],
    ids=["another provider", "another client", "another session", "changed words", "changed signature"],
)
def test_what_is_not_known_goes_out_masked_and_unsigned(request_: Request, provider: str) -> None:
    """It is words like any other, and the words that were signed are told to nobody else."""
    vault = knowing()
    sent = thought_sent(request_, vault, provider=provider)

    assert (sent.signature, sent.note) == (None, None)
    assert NAME not in sent.text
    assert sent.text != SIGNED.text
    assert signatures(vault.signed.given_back(request_, request_, provider)) == 0
    assert thought_sent(request_, vault, Clearance("open"), provider).signature is None


def test_thoughts_whose_words_the_client_does_not_want() -> None:
    """They come back with their signature alone, in whatever form, and go out whole."""
    for redacted in (False, True):
        bare = Message("assistant", (Thought("", "sig", redacted),))
        sent = thought_sent(replace(ASKED, messages=(ASKED.messages[0], bare)), knowing(), Clearance("open"))
        assert sent == Thought("Fadzuk Hegzin?", "sig", note='{"index":0}')


def test_sealed_thoughts_are_never_touched() -> None:
    """What nobody can read goes back as it came, if it is known."""
    sealed = Message("assistant", (Thought("", "gAAA==", redacted=True),))
    asked = replace(ASKED, messages=(ASKED.messages[0], sealed))
    vault = knowing(asked, Signed("gAAA==", "", "", True, '{"id":"r"}'))

    assert thought_sent(asked, vault, Clearance("open")) == Thought("", "gAAA==", True, '{"id":"r"}')
    assert thought_sent(asked, Vault(), Clearance("open")) == Thought("", None, True)


CALLED = replace(ASKED, messages=(ASKED.messages[0], Message("assistant", (ToolCall("c1", "look", '{"at": 1}'),))))
NOTED = SignedCall("c1", "look", '{"signature":"s"}')


@pytest.mark.parametrize("clearance", [MASKED, Clearance("open")])
def test_a_call_gets_its_note_back(clearance: Clearance) -> None:
    """Under its id and its name, from whoever signed it, whatever became of its arguments."""
    vault = knowing(CALLED, NOTED)

    def note(request: Request, provider: str = "work") -> str | None:
        spans = replace(clearance, spans=clearance.spans[:1])
        (part,) = clear(request, spans, Place.CLOUD, vault, provider).cleared.request.messages[1].parts
        assert isinstance(part, ToolCall)
        return part.note

    def called(call: ToolCall) -> Request:
        return replace(CALLED, messages=(CALLED.messages[0], Message("assistant", (call,))))

    assert note(CALLED) == '{"signature":"s"}'
    assert note(called(ToolCall("c1", "look", '{"at":1}'))) == '{"signature":"s"}'
    assert note(called(ToolCall("c2", "look", "{}"))) is None
    assert note(called(ToolCall("c1", "hear", "{}"))) is None
    assert note(CALLED, "other") is None
    assert note(replace(CALLED, client="another")) is None


def test_signed_words_do_not_widen_a_clearance() -> None:
    """What has to stay here stays, whoever signed a part of it; a value where nothing can be masked is still refused."""
    with pytest.raises(Refused):
        clear(ASKED, Clearance("device"), Place.CLOUD, knowing(), "work")
    named = Message("assistant", (Thought(f"{NAME}?", "sig"), ToolCall("1", NAME, "{}")))
    with pytest.raises(Refused):
        clear(replace(ASKED, messages=(ASKED.messages[0], named)), MASKED, Place.CLOUD, knowing(), "work")


def test_it_holds_so_much_and_so_long() -> None:
    """The oldest goes first; after a day, and when the user deletes records, it is gone."""
    clock = HeldClock()
    memory = SignedThoughts(clock, kept_chars=2_000)
    for n in range(8):
        memory.keep(ASKED, "work", replace(SIGNED, signature=str(n), text="x" * 200))

    def known(signature: str) -> bool:
        thought = Message("assistant", (Thought("", signature),))
        asked = replace(ASKED, messages=(thought,))
        return signatures(memory.given_back(asked, asked, "work")) == 1

    assert memory.size_chars <= 2_000
    assert (known("0"), known("7")) == (False, True)
    clock.advance(KEPT_S - 1)
    memory.keep(ASKED, "work", replace(SIGNED, signature="new"))
    assert known("7")
    clock.advance(2)
    memory.keep(ASKED, "work", replace(SIGNED, signature="newer"))
    assert (known("7"), known("new")) == (False, True)
    clock.sleep(KEPT_S)  # of a machine whose lid is closed
    assert not known("newer")
    memory.keep(ASKED, "work", replace(SIGNED, signature="newer"))
    memory.forget_older(timedelta(0))
    assert not known("newer")
    assert memory.size_chars == 0


def test_the_same_again_takes_no_more_room() -> None:
    """A signature that comes twice is held once, and a huge one alone is not held at all."""
    memory = SignedThoughts(HeldClock(), kept_chars=2_000)
    memory.keep(ASKED, "work", SIGNED)
    before = memory.size_chars
    memory.keep(ASKED, "work", SIGNED)
    assert memory.size_chars == before
    memory.keep(ASKED, "work", replace(SIGNED, signature="huge", text="x" * 501))
    assert memory.size_chars == before
