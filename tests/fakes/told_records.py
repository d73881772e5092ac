"""Records of requests such as a working day has, for screens that show them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from daemon import wire

START: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SMALL: Final = "SmolLM2-135M-Instruct"


def draft(confidence: float | None = 0.83, **more: Any) -> wire.Attempt:
    """An answer of this machine's model. confidence None: nobody judged."""
    judged: dict[str, Any] = {}
    if confidence is not None:
        judged = {"confidence": confidence, "threshold": 0.62, "passed": confidence >= 0.62, "standing": "certified"}
        judged |= {"family": "chat.short", "mean_logprob": -0.4, "min_logprob": -2.1}
    given: dict[str, Any] = {
        "provider": "local", "model": SMALL, "outcome": "answered", "took_ms": 640.0, "first_token_ms": 95.0, "prompt_tokens": 212, "completion_tokens": 48,
        "reason": "stop", "engine": "openvino_genai", "device": "CPU", "place": "device",
    }  # fmt: skip
    return wire.Attempt(**(given | judged | more))


def asked_away(**more: Any) -> wire.Attempt:
    """An answer of the cloud's."""
    given: dict[str, Any] = {
        "provider": "work", "model": "big-model", "outcome": "answered", "took_ms": 1900.0, "first_token_ms": 410.0, "prompt_tokens": 230, "completion_tokens": 164,
        "reason": "stop", "place": "cloud", "cost_usd": 0.00234,
    }  # fmt: skip
    return wire.Attempt(**(given | more))


def unsure(**more: Any) -> wire.Attempt:
    """A draft of 48 tokens that was looked at four times on its way."""
    chance = random.Random(5)
    dips = [round(-chance.expovariate(9.0 if number % 7 else 0.9), 3) for number in range(48)]
    looks = ((4, 0.58, "amber"), (8, 0.49, "amber"), (16, 0.44, "amber"), (32, 0.39, "amber"), (48, 0.41, "failed"))
    return draft(
        0.41, began_ms=17.0, curve=tuple(dips), curve_tokens=48,
        looks=tuple(wire.Look(tokens, score, 0.62, verdict) for tokens, score, verdict in looks), **more,
    )  # fmt: skip


def receipt(record: str, number: int, masks: dict[str, int]) -> wire.Receipt:
    """What left for one attempt."""
    return wire.Receipt(
        at=START, provider="work", model="big-model", host="api.example.invalid", place="cloud", body_bytes=1843,
        sha256="5f" * 32, masks=masks, number=number, record=record, path="/v1/chat/completions", via="direct",
        tls=wire.Tls("TLSv1.3", "Example Trust", "Example CA 1", "public"), rule="auto-confidence", policy="balanced/masked",
        outcome="answered", status=200, answer_bytes=2120, cost_usd=0.00234, priced_by="list", prices_as_of="2026-11-30",
    )  # fmt: skip


def record(number: int, *attempts: wire.Attempt, **more: Any) -> wire.Record:
    """The number-th request, which these attempts answered."""
    rule = "auto-confidence"
    candidates = tuple(dict.fromkeys(f"{each.provider}/{each.model}" for each in attempts))
    took_ms = sum(each.took_ms for each in attempts) + 21.0
    ledger = wire.Ledger(
        calls=len(attempts),
        prompt_tokens=sum(each.prompt_tokens for each in attempts),
        completion_tokens=sum(each.completion_tokens for each in attempts),
        cost_usd=sum(each.cost_usd or 0.0 for each in attempts),
        joules=12.4 * len(attempts),
    )
    given: dict[str, Any] = {
        "id": f"{number:02x}" + "c0ffee5eed1234", "at": START + timedelta(seconds=7 * number), "protocol": "openai-chat",
        "client": ("zed", "claude-code", "aider", None)[number % 4], "project": None, "session": None, "model": "auto",
        "streamed": True, "outcome": "answered", "egress": "none", "took_ms": took_ms, "waited_ms": 4.0, "messages": 3,
        "prompt_chars": 900, "answer_chars": 320, "decision": wire.Decision(rule, "confidence", candidates),
        "attempts": attempts, "ledger": ledger,
        "confidence": f"{attempts[-1].confidence:.2f}" if attempts and attempts[-1].confidence else None,
        "clearance": wire.Clearance("open", (), ()),
        "seen": (wire.Seen("domain", "code", "computer science", 0.91, None, 0, 2.1),),
    }  # fmt: skip
    return wire.Record(**(given | more))


def escalated(number: int) -> wire.Record:
    """A draft that was not sure enough, and a cloud's answer to the masked request."""
    return record(
        number, unsure(), asked_away(began_ms=661.0), egress="masked",
        receipts=(receipt(f"{number:02x}c0ffee5eed1234", 40 + number, {"email": 2, "person": 1}),),
        seen=(
            wire.Seen("email", "email", "email", 1.0, None, 2, 0.2, matched=True),
            wire.Seen("names", "person", "person", 0.87, None, 1, 3.4, matched=True),
            wire.Seen("domain", "code", "computer science", 0.91, None, 0, 2.1, matched=True),
            wire.Seen("complexity", "hard", "hard", 0.58, 0.12, 0, 2.2, matched=True),
            wire.Seen("jailbreak", "injection", None, 0.04, None, 0, 2.3, matched=True),
            wire.Seen("context", "tokens", None, 1.0, 212.0, 0, 0.1, matched=False),
            wire.Seen("fact_check", "needs", None, 0.0, None, 0, 50.0, "deadline", matched=False),
        ),
        clearance=wire.Clearance(
            "masked",
            (wire.Finding("email", 2, "messages[0].text", "mask"), wire.Finding("person", 1, "messages[2].text", "mask")),
            ("private",),
        ),
        decision=wire.Decision(
            "recipe", "confidence", (f"local/{SMALL}", "work/big-model"),
            wire.Route(
                recipe="default", decision="hard_code", algorithm="confidence", method="hybrid", model="work/big-model",
                confidence=0.7, plugins=("system_prompt",), notes=("not-able",),
            ),
            left_out=("lab/huge-model",),
        ),
    )  # fmt: skip


def kept_here(number: int) -> wire.Record:
    """A secret, which stays."""
    return record(
        number, draft(0.55), model="local",
        clearance=wire.Clearance("device", (wire.Finding("secret", 1, "messages[1].text", "stay"),), ("private",)),
        decision=wire.Decision("auto-private", "single", (f"local/{SMALL}",), None, ("work/big-model",)),
        seen=(wire.Seen("secrets", "api_key", "api key", 1.0, None, 1, 0.4),),
    )  # fmt: skip


def with_pictures(number: int) -> wire.Record:
    """A passport, a photograph, an invoice, and a picture that nobody could look at."""
    return record(
        number, draft(0.55), model="auto",
        pictures=(
            wire.Picture(
                path="messages[0].parts[1]", part="image", form="jpeg", width=1240, height=874, size_bytes=241_000,
                kind="identity_document", probability=0.97, words=41, findings={"PERSON": 2, "MRZ": 1}, explicit=0.01,
                detail=0.4, took_ms=312.0,
            ),
            wire.Picture(
                path="messages[0].parts[2]", part="image", form="png", width=640, height=480, size_bytes=90_400,
                kind="photo", probability=0.88, thing="vehicle", thing_probability=0.8,
            ),
            wire.Picture(path="messages[0].parts[3]", part="file", form="pdf", pages=3, size_bytes=1_200_000, words=902, took_ms=950.0),
            wire.Picture(path="messages[2].parts[0].1", part="image", size_bytes=31_000_000, error="too-large"),
        ),
        clearance=wire.Clearance("device", (wire.Finding("PERSON", 2, "messages[0].parts[1].sight", "stay"),), ("private",)),
        decision=wire.Decision("auto-private", "single", (f"local/{SMALL}",), None, ("work/big-model",)),
    )  # fmt: skip


def a_day() -> tuple[wire.Record, ...]:
    """One of each kind, the oldest first."""
    failed = draft(None, outcome="failed", error="worker_died", reason=None, completion_tokens=0, took_ms=88.0)
    return (
        record(1, draft(0.91)),
        escalated(2),
        kept_here(3),
        record(
            4,
            asked_away(took_ms=4210.0),
            model="cloud",
            egress="open",
            decision=wire.Decision("model-cloud", "single", ("work/big-model",)),
        ),
        record(5, failed, asked_away(), egress="open"),
        record(6, draft(0.77), took_ms=320.0),
        record(7, draft(None, outcome="cancelled", reason=None), outcome="cancelled", streamed=False),
        record(8, outcome="refused", error="budget_spent", decision=None, clearance=None),
        record(
            9,
            asked_away(cost_usd=None),
            model="work/big-model",
            egress="open",
            decision=wire.Decision("model-named", "single", ("work/big-model",)),
            ledger=wire.Ledger(1, 230, 164, 0.0, 1),
        ),
        record(10, draft(0.66), draft(0.71, role="judge"), model="nearloop/light"),
        escalated(11),
        record(12, draft(0.98), took_ms=61_000.0),
    )


def a_busy_hour(seed: int = 3) -> tuple[wire.Record, ...]:
    """240 requests of an hour, most of them answered here: drawn by chance, the same for the same seed."""
    chance = random.Random(seed)
    records = []
    for number in range(240):
        at = START + timedelta(minutes=60 * (number + chance.random()) / 240)
        made = _drawn(number, chance)
        id = f"{chance.getrandbits(64):016x}"
        client = chance.choice(("zed", "claude-code", "claude-code", "aider", "continue"))
        receipts = tuple(msgspec.structs.replace(each, record=id, at=at) for each in made.receipts)
        records.append(msgspec.structs.replace(made, id=id, at=at, client=client, receipts=receipts))
    return tuple(records)


def _drawn(number: int, chance: random.Random) -> wire.Record:
    tokens = chance.randint(12, 220)
    here = draft(
        round(0.62 + 0.38 * chance.random(), 2), took_ms=120 + 11.0 * tokens, first_token_ms=90.0 + tokens,
        prompt_tokens=chance.randint(60, 1900), completion_tokens=tokens,
    )  # fmt: skip
    match chance.choices(("here", "beyond", "kept", "open", "failed"), (66, 17, 9, 6, 2))[0]:
        case "beyond":
            return escalated(number % 200)
        case "kept":
            return kept_here(number % 200)
        case "open":
            decision = wire.Decision("model-named", "single", ("work/big-model",))
            answer = asked_away(took_ms=900 + 9.0 * tokens, completion_tokens=tokens)
            return record(number % 200, answer, model="work/big-model", egress="open", decision=decision)
        case "failed":
            return record(number % 200, outcome="refused", error="budget_spent", decision=None, clearance=None)
    return record(number % 200, here)
