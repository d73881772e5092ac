"""The table of what is kept as pictures: each screen once at least."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from tests.fakes import told_privacy, told_recipes, told_spending, told_wall
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_house import fill
from tests.fakes.told_records import with_pictures


def _nothing(_: PlayedDaemon) -> None:
    """The day's records are enough."""


def _with_pictures(daemon: PlayedDaemon) -> None:
    """Another request, whose pictures were looked at."""
    record = with_pictures(13)
    daemon.records[record.id] = record


WAIT: Final = "wait:"
"""Before words that have to stand on the screen until the next key is pressed."""


class Shot(NamedTuple):
    """name: of the screen, or `screen-what`. keys: that lead there, with WAIT where an answer has to come first. ready: words that stand on it then. prepare: is given the
    daemon before, to say what it answers.
    """

    name: str
    keys: tuple[str, ...]
    ready: str
    prepare: Callable[[PlayedDaemon], None] = _nothing


PARTS: Final = "Approvals 2  Receipts 9  Dictionary 4  Policy balanced"
SHOTS: Final = (
    Shot("live", ("1",), "03:05:22"),
    Shot("live-search", ("1", "slash", *"left:masked"), "2 left:masked"),
    Shot("live-request", ("1", "down", "enter"), "anyone asks auto"),
    Shot("live-pictures", ("1", "down", "enter"), "claude-code asks", _with_pictures),
    Shot("live-wall", ("1", "down", "enter", "w"), "verified", told_wall.play),
    Shot("live-wall-stayed", ("1", "enter", "w"), "nothing left this machine", told_wall.play),
    Shot("overview", ("2", "W"), "a draft was not sure enough"),
    Shot("privacy", ("5",), PARTS, told_privacy.play),
    Shot("privacy-receipts", ("5", "right"), PARTS, told_privacy.play),
    Shot("privacy-policy", ("5", "left"), PARTS, told_privacy.play),
    Shot("recipes", ("6",), "SIGNAL secret keys", told_recipes.play),
    Shot("recipes-diff", ("6", "end", "d"), "+ROUTE second", told_recipes.play),
    Shot("playground", ("7", "escape", "b"), "cloud"),
    Shot("models", ("3",), "entail-small", fill),
    Shot("providers", ("4", "wait:mistral", "t"), "mid-model", fill),
    Shot("providers-key", ("4", "wait:mistral", "s", "wait:The key of work", *"secret"), "••••••", fill),
    Shot(
        "providers-add",
        ("4", "wait:mistral", "a", "wait:another one", "end", "enter", "wait:Address", *"lab-2"),
        "lab-2",
        fill,
    ),
    Shot("clients", ("8",), "nearloop connect aider", fill),
    Shot("clients-scopes", ("8", "wait:aider", "a", "wait:By what name", *"tool", "enter"), "make the token", fill),
    Shot(
        "clients-token",
        ("8", "wait:aider", "a", "wait:By what name", *"tool", "enter", "wait:make the token", "enter"),
        "nl_example",
        fill,
    ),
    Shot("clients-limits", ("8", "wait:aider", "l"), "a day?", fill),
    Shot("clients-connect", ("8", "wait:aider", "down", "down", "down", "c"), "connect it", fill),
    Shot("doctor", ("9",), "4 well", fill),
    Shot("logs", ("0",), "12 older ones", fill),
    Shot("money", ("$",), "41 answers", told_spending.play),
    Shot("money-limit", ("$", "wait:62", "down", "l"), "spent at work?", told_spending.play),
    Shot("help", ("question_mark",), "Screens"),
    Shot("confirm", ("ctrl+l",), "Let them leave", lambda daemon: daemon.local_only()),
)
"""With `NEARLOOP_SNAPSHOTS=write` the pictures are made anew: look at each before it is committed."""
