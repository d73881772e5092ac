"""What is known of a request from its connection and its headers, before its body is read."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from litestar.types import HTTPScope

from daemon.callers import Caller, bearer, require
from daemon.errors import BadRequest
from daemon.protocols.base import Envelope
from daemon.surfaces.served import Served
from daemon.working_folders import WorkingFolder
from providers.contract import Reach

SESSION_HEADERS: Final = ("session-id", "session_id")
"""Codex's, now and formerly (seen of 0.171, read in its sources). Claude Code's stands in its bodies, OpenCode uses ours."""
_LABEL_CHARS: Final = 100
_BETA: Final = re.compile(r"[a-z][a-z0-9-]{1,60}-20[0-9]{2}-[0-9]{2}-[0-9]{2}|[a-z][a-z0-9-]{1,60}-20[0-9]{6}")
_MOST_BETAS: Final = 32


def new_id() -> str:
    """A record's name, which nobody can foresee: whoever knows that of an answer without a client may come back to it."""
    return os.urandom(8).hex()


async def arrived(scope: HTTPScope, served: Served) -> tuple[Caller, Envelope]:
    """Who asks, and the envelope of what is asked. Raises Unauthorised, Refused, BadRequest."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    caller = served.callers.identify(bearer(headers))
    require(caller, "infer:local")
    reach = _reach(headers)
    folder = await _working_folder(scope, caller, served)
    return caller, Envelope(
        id=new_id(),
        client=caller.name,
        session=_session(headers),
        project=_project(headers, folder, served),
        reach="device" if folder is not None and folder.marked else reach,
        created_s=int(served.clock.now().timestamp()),
        deadline=served.clock.monotonic() + served.pipeline.rooms.wait_s,
        monotonic=served.clock.monotonic,
        betas=_betas(headers),
    )


def _betas(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Names of features; what isn't one is nobody's business beyond."""
    names = (name.strip() for name in headers.get("anthropic-beta", "").split(","))
    return tuple(dict.fromkeys(name for name in names if _BETA.fullmatch(name)))[:_MOST_BETAS]


async def _working_folder(scope: HTTPScope, caller: Caller, served: Served) -> WorkingFolder | None:
    """Where the caller works, if that makes a difference: finding it out takes milliseconds."""
    rooms = served.pipeline.rooms
    client, server = scope["client"], scope["server"]
    may_leave = len(rooms.device) < len(rooms.providers) and caller.may("infer:cloud")
    if not (rooms.desk.policies.projects or may_leave) or client is None or server is None or server[1] is None:
        return None
    return await served.folders.of((server[0], server[1]), client)


def _project(headers: Mapping[str, str], folder: WorkingFolder | None, served: Served) -> str | None:
    """Which project a request says that it is for: the header's word, else the caller's working tree."""
    if claimed := _label(headers, "x-nearloop-project"):
        return claimed
    return folder.tree if folder is not None and served.pipeline.rooms.desk.policies.projects else None


def _session(headers: Mapping[str, str]) -> str | None:
    """By our own header, else by one in which a client names its session unasked."""
    ours = _label(headers, "x-session-id")
    theirs = (headers[name] for name in SESSION_HEADERS if name in headers)
    return ours or next((value for value in theirs if _fits(value)), None)


def _label(headers: Mapping[str, str], name: str) -> str | None:
    """A header that names something; it goes into records, so it has to be short and printable."""
    value = headers.get(name)
    if value is not None and not _fits(value):
        raise BadRequest(f"the header {name} has to be at most {_LABEL_CHARS} printable characters", name)
    return value or None


def _fits(value: str) -> bool:
    return len(value) <= _LABEL_CHARS and value.isprintable()


def _reach(headers: Mapping[str, str]) -> Reach:
    match headers.get("x-nearloop-reach"):
        case None:
            return "any"
        case "device":
            return "device"
        case _:
            raise BadRequest("the header x-nearloop-reach knows one value: device", "x-nearloop-reach")
