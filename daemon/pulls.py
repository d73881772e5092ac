"""What is fetched for one model, and the fetching of it into its folder."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.downloads import Fetched, Hub
from daemon.errors import BadRequest
from daemon.hub_answers import RemoteFile
from daemon.model_files import ModelFiles, Origin, StoredFile, Trusted, file_name, sha256_of
from edge_models.hub_models import HubModel
from edge_models.neighbours import model_name

REPOSITORY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_REVISION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")
_PART: Final = re.compile(r"-\d{5}-of-\d{5}\.gguf$")
_OPENVINO: Final = (".xml", ".bin", ".json", ".txt", ".jinja", ".model")
"""Of a repository in OpenVINO's format: the network, its tokenizer, and what they are configured by."""
_CHECKPOINT: Final = ("config.json", "model.safetensors", "preprocessor_config.json", "tokenizer.json")
"""What an encoder of pictures and texts needs of its makers' own repository; what it takes besides is in _BESIDE."""
_BESIDE: Final = ("tokenizer_config.json", "LICENSE", "LICENSE.txt", "NOTICE")
_SHOWN: Final = 20

Progress = Callable[[str, int, int | None], None]
"""Told of which file how many bytes are here, and of how many."""


class Plan(Struct, frozen=True):
    """A model to fetch. entry: what an engine is given of it, a file or `.` for the folder. known: by the catalogue."""

    name: str
    repository: str
    revision: str
    files: tuple[RemoteFile, ...]
    entry: str
    licence: str | None = None
    known: bool = False


def plan_of(model: HubModel) -> Plan:
    """A model of the catalogue."""
    files = tuple(
        RemoteFile(
            model.repository, model.revision, each.name, each.sha256, each.size_bytes if model.confirmed else None
        )
        for each in model.files
    )
    return Plan(
        model.name, model.repository, model.revision, files, file_name(model.files[0].name), model.licence, True
    )


async def plan_for(hub: Hub, repository: str, file: str | None, revision: str, name: str | None) -> Plan:
    """Somebody's repository: the file that is named, its only GGUF file, an OpenVINO model whole, or an encoder of pictures.

    Raises BadRequest, NotFetched.
    """
    if not REPOSITORY.fullmatch(repository):
        raise BadRequest("a repository is ORGANISATION/NAME; `nearloop models list` shows the models known by name")
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise BadRequest("a revision is a commit, a branch or a tag")
    if file is not None:
        return _one(RemoteFile(repository, revision, file), name)
    listed = await hub.files(repository, revision)
    if any(each.name == "openvino_model.xml" for each in listed):
        chosen = tuple(each for each in listed if "/" not in each.name and each.name.endswith(_OPENVINO))
        for each in chosen:
            file_name(each.name)
        return Plan(name or _name(repository), repository, chosen[0].revision, chosen, ".")
    found = [each for each in listed if each.name.endswith(".gguf")]
    if len(found) == 1:
        return _one(found[0], name)
    named = {each.name: each for each in listed}
    if not found and all(name in named for name in _CHECKPOINT):
        parts = tuple(named[name] for name in (*_CHECKPOINT, *_BESIDE) if name in named)
        return Plan(name or _name(repository), repository, parts[0].revision, parts, ".")
    if not found:
        raise BadRequest(
            f"{repository} holds no GGUF file, no OpenVINO model and no encoder of pictures: take another edition of it"
        )
    shown = [each.name for each in found if re.fullmatch(r"[\w./ +-]{1,200}", each.name, re.ASCII)][:_SHOWN]
    raise BadRequest(f"{repository} holds {len(found)} GGUF files: say which, behind its name: {', '.join(shown)}")


def _one(file: RemoteFile, name: str | None) -> Plan:
    kept = file_name(file.name)
    if not kept.endswith(".gguf"):
        raise BadRequest(f"{kept} is no GGUF file: name one, or a repository in OpenVINO's format without a file")
    if _PART.search(kept):
        raise BadRequest(f"{kept} is one of several parts, which can't be read yet: take a smaller edition")
    return Plan(name or _name(kept.removesuffix(".gguf")), file.repository, file.revision, (file,), kept)


def _name(text: str) -> str:
    return model_name(text.rpartition("/")[2].lower()).replace(":", "-")


async def pull(plan: Plan, hub: Hub, here: ModelFiles, now: datetime, progress: Progress) -> Origin:
    """Fetch what is missing. The caller holds the model's lock. Raises NotFetched, DiskFull."""
    folder = here.directory(plan.name)
    stored, commit = [], None
    for file in plan.files:
        target = folder / file_name(file.name)
        got = await asyncio.to_thread(_here, file, target)
        if got is None:
            got = await hub.fetch(file, target, lambda done, whole, kept=target.name: progress(kept, done, whole))  # type: ignore[misc]
        commit = commit or got.commit
        trusted: Trusted = "catalogue" if plan.known and file.sha256 else "first-download"
        stored.append(StoredFile(target.name, got.size_bytes, got.sha256, trusted))
    origin = Origin(
        name=plan.name,
        entry=plan.entry,
        endpoint=str(hub.endpoint),
        repository=plan.repository,
        revision=plan.revision,
        commit=commit,
        licence=plan.licence,
        at=now,
        files=tuple(stored),
    )
    here.write(origin)
    return origin


def _here(file: RemoteFile, target: Path) -> Fetched | None:
    """What an earlier command brought already, if it is known to be right."""
    if not file.sha256 or not target.is_file() or sha256_of(target) != file.sha256:
        return None
    return Fetched(target.stat().st_size, file.sha256, None)
