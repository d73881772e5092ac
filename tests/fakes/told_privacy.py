"""What a daemon tells of privacy: a question that waits, receipts, words and a policy."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final, Literal

import msgspec

from daemon import wire
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_records import START, receipt

NOW: Final = START + timedelta(seconds=240)
HEAD: Final = "7a" * 32


def asked(id: str = "q1", left_s: float = 42.0, **more: Any) -> wire.Approval:
    """A request that may leave if the user lets it, for so long yet."""
    given: dict[str, Any] = {
        "id": id, "kind": "request", "record": f"{id}c0ffee", "at": NOW - timedelta(seconds=60 - left_s),
        "until": NOW + timedelta(seconds=left_s), "client": "zed", "provider": "work", "model": "big-model", "may_mask": True,
        "finds": (
            wire.HeldFind("EMAIL_ADDRESS", 2, "messages[0].text", ("tim.ravel@ostwerk.example", "jo.lind@ostwerk.example")),
            wire.HeldFind("PERSON", 1, "messages[2].text", ("Tim Ravel",)),
        ),
    }  # fmt: skip
    return wire.Approval(**(given | more))


def asked_for_call(id: str = "q2", left_s: float = 9.0) -> wire.Approval:
    """A tool call that would carry a secret out."""
    find = wire.HeldFind("secret", 1, "arguments/headers/authorization")
    return asked(id, left_s, kind="call", tool="http_request", client=None, may_mask=False, finds=(find,))


def with_words(approval: wire.Approval) -> wire.Approval:
    """As the admin's token is told of it."""
    words = {
        "EMAIL_ADDRESS": ("ada@quellbrunn.example", "max@quellbrunn.example"), "PERSON": ("Ada Quellbrunn",), "secret": ("sk-played",),
    }  # fmt: skip
    finds = tuple(msgspec.structs.replace(find, words=words[find.label]) for find in approval.finds)
    return msgspec.structs.replace(approval, finds=finds)


def some_receipts() -> tuple[wire.Receipt, ...]:
    """Of several purposes and ends, the newest first."""
    replace = msgspec.structs.replace
    sent = [receipt(f"{number:02x}c0ffee5eed1234", number, {"EMAIL_ADDRESS": number % 3}) for number in range(1, 10)]
    sent = [
        replace(each, via=None, masks={label: count for label, count in each.masks.items() if count}) for each in sent
    ]
    sent = [replace(each, at=START + timedelta(seconds=20 * each.number)) for each in sent]
    sent[2] = replace(
        sent[2], purpose="models", record=None, model=None, path="/v1/models", rule=None, policy=None, masks={}
    )
    sent[4] = replace(sent[4], outcome="cut", status=None, answer_bytes=None)
    sent[6] = replace(
        sent[6], place="device", provider="near", host="127.0.0.1", tls=None, cost_usd=None, priced_by=None
    )
    sent[8] = replace(sent[8], outcome=None, status=None, answer_bytes=None)
    return tuple(reversed(sent))


CHAIN: Final = wire.ReceiptChain(
    True, 20, 1, 20, START, START + timedelta(seconds=180), HEAD, (), ("the clock went back once",)
)
BROKEN: Final = wire.ReceiptChain(
    False,
    20,
    1,
    20,
    START,
    START,
    HEAD,
    (wire.ChainProblem("000000000001.jsonl", 7, 7, "link 7 does not follow link 6"),),
)
_PASSED: Final = ("code", "implicit", "doubt")
_OF_ITS_OWN: Final = {"opaque": "stay", "EMAIL_ADDRESS": "ask", "TERM": "stay"}
_KINDS: Final = (
    *(
        "pii",
        "secret",
        "opaque",
        "code",
        "implicit",
        "doubt",
        "BANK_ACCOUNT",
        "CLOUD_ACCOUNT",
        "CREDIT_CARD",
        "DATE_OF_BIRTH",
    ),
    *(
        "EMAIL_ADDRESS",
        "EMPLOYEE_ID",
        "HOSTNAME",
        "IBAN_CODE",
        "IP_ADDRESS",
        "ORGANIZATION",
        "PASSPORT_NUMBER",
        "PERSON",
    ),
    *("PHONE_NUMBER", "STREET_ADDRESS", "TERM", "US_SSN"),
)
POLICY: Final = wire.PolicyInForce(
    "balanced",
    tuple(
        msgspec.convert(
            {
                "kind": kind,
                "treatment": _OF_ITS_OWN.get(kind, "pass" if kind in _PASSED else "mask"),
                "by": "class" if kind in ("EMAIL_ADDRESS", "TERM") else "preset",
            },
            wire.Treated,
        )
        for kind in _KINDS
    ),
    60.0,
    "ask",
    {"lab": (wire.Treated("PERSON", "stay", "class"),)},
    {"open-source": (wire.Treated("pii", "pass", "preset"), wire.Treated("PERSON", "pass", "preset"))},
)
WORDS: Final = (
    wire.OwnWord("Quellbrunn", "person"),
    wire.OwnWord("Ostwerk", "organization"),
    wire.OwnWord("falcon-ledger", "term"),
    wire.OwnWord("info@ostwerk.example", "harmless"),
)


def proof(verdict: Literal["nothing-left", "left", "not-proven"] = "left", **more: Any) -> wire.LocalProof:
    """What the receipts prove of a day."""
    left = (wire.LeftFor("work", "api.example.com", "cloud", "request", 7, 9_000),) if verdict == "left" else ()
    gaps = ("receipts begin at 2026-11-30 09:00:00: nothing is known of before",) if verdict == "not-proven" else ()
    given: dict[str, Any] = {
        "since": START, "until": NOW, "verdict": verdict, "left": left, "gaps": gaps,
        "near": (wire.LeftFor("near", "127.0.0.1", "device", "models", 2, 0),),
        "runs": (wire.Run(START, "0.1.0", "runs", NOW),), "chain": CHAIN, "records_agree": 7,
        "covers": ("requests that programs asked Nearloop",),
        "leaves_out": ("what editors and other programs send themselves, past Nearloop",),
    }  # fmt: skip
    return wire.LocalProof(**(given | more))


class ToldPrivacy:
    """Put into a played daemon. answered, added, gone: what it was told."""

    def __init__(self, daemon: PlayedDaemon, *waiting: wire.Approval) -> None:
        self.daemon = daemon
        self.waiting = {each.id: each for each in waiting}
        self.words = list(WORDS)
        self.answered: list[tuple[str, dict[str, Any]]] = []
        daemon.answers |= {
            "GET approvals": lambda _: wire.Approvals(tuple(self.waiting.values())),
            "GET receipts": wire.Receipts(some_receipts()),
            "GET receipts/chain": CHAIN,
            "GET prove-local": proof(),
            "GET privacy/policy": POLICY,
            "GET dictionary": lambda _: wire.OwnWords(tuple(self.words)),
            "POST dictionary": self._add,
            "POST dictionary/forget": self._forget,
        }
        for each in waiting:
            self._open(each)

    def ask(self, approval: wire.Approval) -> None:
        """One more waits."""
        self.waiting[approval.id] = approval
        self._open(approval)
        self._say(approval, "waiting")

    def over(self, id: str) -> None:
        """Its time was over."""
        self._say(self.waiting.pop(id), "not-answered")

    def _open(self, approval: wire.Approval) -> None:
        self.daemon.answers[f"GET approvals/{approval.id}"] = with_words(approval)
        self.daemon.answers[f"POST approvals/{approval.id}"] = lambda body: self._answer(approval.id, body)

    def _answer(self, id: str, body: dict[str, Any]) -> wire.Approval:
        self.answered.append((id, body))
        gone = self.waiting.pop(id)
        self._say(gone, "denied" if body["answer"] == "deny" else "allowed")
        return gone

    def _say(self, approval: wire.Approval, state: Any) -> None:
        self.daemon.say("approval", wire.ApprovalNews(approval.id, approval.kind, state, approval.until, "work", {}))

    def _add(self, body: dict[str, Any]) -> wire.OwnWords:
        new = [wire.OwnWord(word, body["kind"]) for word in body["words"]]
        self.words += new
        return wire.OwnWords(tuple(self.words), tuple(each.word for each in new if each.word == "orders"))

    def _forget(self, body: dict[str, Any]) -> wire.OwnWords:
        self.words = [each for each in self.words if each.word not in body["words"]]
        return wire.OwnWords(tuple(self.words))


def play(daemon: PlayedDaemon) -> None:
    """With two questions that wait."""
    ToldPrivacy(daemon, asked(), asked_for_call())
