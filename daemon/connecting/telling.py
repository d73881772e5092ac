"""What connecting a client comes to, and came to, as shapes that travel."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from daemon.connecting.files import loose
from daemon.connecting.work import Prospect
from daemon.wire import ConnectDone, ConnectPlan, ConnectUndone, FileChange

_AGAIN: Final = "(the token that was shown then; for another one, undo this and connect anew)"
_LATER: Final = "(a token, shown when it is made)"


def plan_of(wanted: Prospect, notes: Iterable[str]) -> ConnectPlan:
    """Before it is done."""
    client = wanted.client
    files = tuple(FileChange(str(edit.path), edit.before is None, tuple(edit.diff)) for edit in wanted.edits)
    standing = [(str(edit.path), edit.before, edit.after) for edit in wanted.edits]
    digest = hashlib.sha256(msgspec.json.encode((wanted.name, wanted.needs_token, wanted.link.root, standing)))
    return ConnectPlan(
        client.name,
        client.title,
        wanted.link.root,
        wanted.name,
        wanted.needs_token,
        files,
        tuple(_with(step, wanted, _LATER if wanted.needs_token else _AGAIN) for step in wanted.plan.steps),
        tuple(notes),
        digest.hexdigest(),
    )


def done_of(done: Prospect, fresh: bool) -> ConnectDone:
    """Afterwards. fresh: whether its token was made for it just now."""
    return ConnectDone(
        done.client.name,
        done.client.title,
        tuple(str(edit.path) for edit in done.edits),
        steps_of(done, fresh),
        done.plan.then,
        tuple(
            f"{edit.path} holds the token, and others on this machine may read it"
            for edit in done.edits
            if done.link.token.encode() in edit.after and loose(edit.path)
        ),
    )


def steps_of(done: Prospect, fresh: bool) -> tuple[str, ...]:
    """What is left to the user."""
    return tuple(step if fresh else _with(step, done, _AGAIN) for step in done.plan.steps)


def _with(step: str, wanted: Prospect, instead: str) -> str:
    """A step without its token, unless that stands in a file of ours, whose name the step has."""
    return step if wanted.client.holder == "file" else step.replace(wanted.link.token, instead)


def undone_of(name: str, restored: Iterable[Path]) -> ConnectUndone:
    """When it is undone."""
    files = tuple(restored)
    there = tuple(str(path) for path in files if path.exists())
    return ConnectUndone(name, there, tuple(str(path) for path in files if not path.exists()))
