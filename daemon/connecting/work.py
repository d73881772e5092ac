"""Connecting a client: what would change, changing it, and taking it back.

Before a file is touched, its content stands beside it, and in the journal what it will be: whenever this ends, the way back
is known. A run is undone whole or not at all, and only from files that still are as it left them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace as changed

from daemon.connecting import files, journal, tokens
from daemon.connecting.base import Change, Client, Link, Machine, Plan
from daemon.connecting.diffs import applied, hunks, masked, shown
from daemon.connecting.env_text import merge_env
from daemon.connecting.json_text import Json
from daemon.connecting.merging import Unreadable, merge
from daemon.connecting.toml_text import merge_toml
from daemon.connecting.yaml_text import Yaml
from daemon.errors import Refused
from daemon.paths import Paths, make_private_directory, write_private

UNMADE: Final = "nl_" + "0" * 43
"""Stands for a token until the user said yes."""


SHELL: Final = "env"
"""As which the variables of shells stand in the journal."""


class Edit(Struct, frozen=True):
    """A file before and after. before: None if there is none."""

    path: Path
    before: bytes | None
    after: bytes

    @property
    def diff(self) -> list[str]:
        """To show."""
        return shown(_text(self.before), _text(self.after), str(self.path))


class Prospect(Struct, frozen=True):
    """What connecting a client comes to. token: None if one has to be made. name: the token's, among our clients."""

    client: Client
    name: str
    token: str | None
    link: Link
    plan: Plan
    edits: tuple[Edit, ...]

    @property
    def needs_token(self) -> bool:
        """Whether one will be made."""
        return self.token is None


class ChangedSince(Refused):
    """A file is not as it was left. diff: what was changed since."""

    def __init__(self, message: str, diff: Sequence[str]) -> None:
        super().__init__(message)
        self.diff = tuple(diff)


def prospect(paths: Paths, machine: Machine, client: Client, link: Link, elsewhere: Path | None) -> Prospect:
    """Look at what is there.

    link: its token is not known yet. elsewhere: the client's file, where it isn't at its usual place.
    Raises Refused for files that can't be changed safely, with the line.
    """
    before = journal.load(paths, client.name)
    name = before.token if before else tokens.free_name(paths, client.name)
    link = changed(link, token=UNMADE, token_file=paths.client_tokens / name)
    plan = _plan(machine, client, link, elsewhere)
    token: str | None = None
    if before and (owner := tokens.known(paths, name)):
        if client.holder == "hand":
            token = UNMADE  # it was shown, and nobody but the user has it
        else:
            there = [files.read(change.path) for change in plan.changes]
            token = tokens.found_in([*there, files.read(link.token_file)], owner)
    if token is not None:
        link = changed(link, token=token)
        plan = _plan(machine, client, link, elsewhere)
    return Prospect(client, name, token, link, plan, _edits(plan))


def connect(paths: Paths, machine: Machine, wanted: Prospect, elsewhere: Path | None, now: datetime) -> Prospect:
    """Do it. Returns it as it was done, with the token. Raises Refused, and then nothing was changed."""
    for edit in wanted.edits:
        if files.read(edit.path) != edit.before:
            raise Refused(f"{edit.path} was changed meanwhile: run this again")
    client, name = wanted.client, wanted.name
    made = wanted.needs_token
    if made:
        if tokens.known(paths, name):  # of a connection whose token nobody has any more
            tokens.revoke_token(paths, name)
        link = changed(wanted.link, token=tokens.make_token(paths, name))
        plan = _plan(machine, client, link, elsewhere)
        wanted = Prospect(client, name, link.token, link, plan, _edits(plan))
    try:
        _write(paths, wanted, journal.load(paths, client.name), now)
    except (OSError, Refused):
        if made:
            tokens.revoke_token(paths, name)
        raise
    return wanted


def _write(paths: Paths, wanted: Prospect, before: journal.Connection | None, now: datetime) -> None:
    writes: list[journal.Write] = []
    earlier = before.runs if before else ()
    try:
        writes.extend(_prepared(edit) for edit in wanted.edits)
        runs = (*earlier, journal.Run(now, tuple(writes))) if writes else earlier
        told = wanted.link
        after = journal.Connection(wanted.client.name, wanted.name, told.root, runs, told.models, told.context_tokens)
        journal.save(paths, after)
        for edit in wanted.edits:
            files.replace(edit.path, edit.after, wanted.link.token.encode() in edit.after)
    except (OSError, Refused):
        for write in reversed(writes):
            _restore(write)
        if before:
            journal.save(paths, before)
        else:
            journal.forget(paths, wanted.client.name)
        raise
    if wanted.client.holder == "file":
        _keep(paths, wanted.link.token_file, wanted.link.token)


def shell_token(paths: Paths, root: str) -> str:
    """The token of shells: the one that is there, else a new one."""
    before = journal.load(paths, SHELL)
    name = before.token if before else tokens.free_name(paths, SHELL)
    file = paths.client_tokens / name
    owner = tokens.known(paths, name)
    token = tokens.found_in([files.read(file)], owner) if owner else None
    if token is None:
        if owner:
            tokens.revoke_token(paths, name)
        token = tokens.make_token(paths, name)
        _keep(paths, file, token)
        journal.save(paths, journal.Connection(SHELL, name, root))
    return token


def _keep(paths: Paths, file: Path, token: str) -> None:
    make_private_directory(paths.config)
    make_private_directory(paths.client_tokens)
    write_private(file, token.encode())


def undo(paths: Paths, client: str) -> tuple[Path, ...]:
    """Bring back what was there before, newest first. Returns the files. Raises Refused, ChangedSince."""
    connection = journal.load(paths, client)
    if connection is None:
        raise Refused(f"{client} was not connected by this command: there is nothing to undo")
    restored: list[Path] = []
    while connection.runs:
        run = connection.runs[-1]
        for write in run.writes:
            _check(write)
        for write in reversed(run.writes):
            _restore(write)
            restored.append(Path(write.path))
        connection = changed(connection, runs=connection.runs[:-1])
        journal.save(paths, connection)
    (paths.client_tokens / connection.token).unlink(missing_ok=True)
    tokens.revoke_token(paths, connection.token)
    journal.forget(paths, client)
    return tuple(dict.fromkeys(restored))


def _plan(machine: Machine, client: Client, link: Link, elsewhere: Path | None) -> Plan:
    plan = client.plan(machine, link)
    if elsewhere is None:
        return plan
    if not plan.changes:
        raise Refused(f"{client.title} keeps its settings in no file that this command could change")
    first, *rest = plan.changes
    return changed(plan, changes=(changed(first, path=elsewhere), *rest))


def _edits(plan: Plan) -> tuple[Edit, ...]:
    edits: list[Edit] = []
    for change in plan.changes:
        before = files.read(change.path)
        try:
            text = files.decoded(before or b"")
            after = files.encoded(_merged(text, change), before)
        except Unreadable as error:
            raise Refused(f"{change.path}, {error}: nothing was changed") from error
        if after != before:
            edits.append(Edit(change.path, before, after))
    return tuple(edits)


def _merged(text: str, change: Change) -> str:
    match change.format:
        case "json":
            return merge(text, change.wanted, Json())
        case "yaml":
            return merge(text, change.wanted, Yaml())
        case "toml":
            return merge_toml(text, change.wanted)
        case "env":
            return merge_env(text, change.wanted)


def _prepared(edit: Edit) -> journal.Write:
    """Make what a write needs: the folder, and a copy of what is there."""
    folders = files.make_folder(edit.path.resolve().parent)
    backup = None if edit.before is None else files.copy_beside(edit.path, edit.before)
    return journal.Write(
        str(edit.path),
        None if edit.before is None else journal.digest(edit.before),
        journal.digest(edit.after),
        None if backup is None else str(backup),
        tuple(str(folder) for folder in folders),
        hunks(_text(edit.before), _text(edit.after)),
    )


def _check(write: journal.Write) -> None:
    """Raises ChangedSince if a file is neither as it was left nor as it was before; Refused if the backup is not."""
    now = files.read(Path(write.path))
    if (None if now is None else journal.digest(now)) == write.before:
        return
    kept = files.read(Path(write.backup)) if write.backup else None
    if write.backup and (kept is None or journal.digest(kept) != write.before):
        raise Refused(f"{write.path} can't be brought back: its copy {write.backup} is gone or was changed")
    if now is None or journal.digest(now) != write.after:
        left = applied(_text(kept), write.hunks)
        where = f"what was there before is in {write.backup}" if write.backup else "this command made it"
        raise ChangedSince(
            f"{write.path} was changed since it was connected, so it is left as it is; {where}",
            shown(left, masked(_text(now)), write.path),
        )


def _restore(write: journal.Write) -> None:
    path = Path(write.path)
    now = files.read(path)
    if now is not None and journal.digest(now) == write.after:
        if write.backup is None:
            path.resolve().unlink()
        else:
            files.replace(path, Path(write.backup).read_bytes(), private=True)
    if write.backup is not None:
        Path(write.backup).unlink(missing_ok=True)
    for folder in reversed(write.folders):
        try:
            Path(folder).rmdir()
        except OSError:  # something else is in it by now
            break


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8-sig", errors="replace")
