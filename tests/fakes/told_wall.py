"""The two sides of a request, for a played daemon."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from daemon import wire
from daemon.wall import KEPT_BYTES, KEPT_S, REQUESTS
from daemon.wall_wire import GlassWall, Left, Masked, OwnText
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_records import START, a_day

MAIL: Final = ("EMAIL_ADDRESS", "maria.keller@nordhof.io", "fadzuk.hegzin@dolzom.example")
NAME: Final = ("PERSON", "Maria Keller", "Fadzuk Hegzin")
SYSTEM: Final = "You help a small team with its mail. Be short."
FIRST: Final = "Who has the keys to the store room?"
ANSWER: Final = f"{NAME[1]} has them, says her mail of Monday ({MAIL[1]})."
LAST: Final = (
    f"Then write to {MAIL[1]}: ask {NAME[1]} whether she can open for the fitter on Friday at 8,\n"
    "and whether the lift works again. Ω é 漢字 stay as they are."
)


def texts() -> tuple[OwnText, ...]:
    """What the client sent."""
    turns = (("system", SYSTEM), ("user", FIRST), ("assistant", ANSWER), ("user", LAST))
    return tuple(OwnText(f"messages[{number}].parts[0]", role, text) for number, (role, text) in enumerate(turns))


def away(text: str) -> str:
    """As it left."""
    for _, value, alias in (MAIL, NAME):
        text = text.replace(value, alias)
    return text


def body(stream: bool = True) -> bytes:
    """The very bytes."""
    turns = [{"role": each.role, "content": away(each.text)} for each in texts()]
    return msgspec.json.encode({"model": "big-model", "messages": turns, "stream": stream, "max_tokens": 512})


def masked() -> tuple[Masked, ...]:
    """Every place."""
    found = []
    for number, each in enumerate(texts()):
        for label, value, alias in (MAIL, NAME):
            if (start := each.text.find(value)) >= 0:
                found.append(Masked(label, value, alias, number, start, start + len(value)))
    return tuple(sorted(found, key=lambda each: (each.text, each.start)))


def left(receipt: int, sent: bytes, attempt: int = 1, places: tuple[Masked, ...] | None = None) -> Left:
    """One crossing."""
    return Left(
        START, receipt, attempt, "work", "big-model", "api.example.invalid", "cloud", len(sent),
        hashlib.sha256(sent).hexdigest(), sent, masked() if places is None else places,
    )  # fmt: skip


def wall(record: str, *crossings: Left, held: str = "yes") -> GlassWall:
    """Both sides."""
    own = texts() if held == "yes" else ()
    return GlassWall(record, held, REQUESTS, KEPT_BYTES, KEPT_S, own, crossings)  # type: ignore[arg-type]


def play(daemon: PlayedDaemon, *crossings: Left, held: str = "yes") -> None:
    """Have it told of every record; the escalated ones sent these, or one."""
    for record in a_day():
        play_one(daemon, record, *crossings, held=held)


def play_one(daemon: PlayedDaemon, record: wire.Record, *crossings: Left, held: str = "yes") -> None:
    """The same of one record."""
    sent = (crossings or tuple(left(each.number, body()) for each in record.receipts)) if record.receipts else ()
    daemon.answers[f"GET records/{record.id}/wall"] = wall(record.id, *sent, held=held)
    for each in sent:
        chained = msgspec.structs.replace(record.receipts[0], number=each.receipt, sha256=each.sha256)
        daemon.answers[f"GET receipts/{each.receipt}"] = chained


def receipt_of(each: Left, sha256: str) -> wire.Receipt:
    """Another one than it should be."""
    return msgspec.structs.replace(a_day()[1].receipts[0], number=each.receipt, sha256=sha256)
