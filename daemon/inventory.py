"""All models that this user has or could have: in the settings, fetched, packaged, or known by name."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from daemon.model_files import ModelFiles, Origin
from daemon.pool import local_models
from daemon.settings import Settings
from daemon.wire import Holding
from edge_models.catalog import ModelRef, known
from edge_models.hub_models import HUB_MODELS, HubModel, hub_model


def inventory(settings: Settings, files: ModelFiles) -> tuple[Holding, ...]:
    """Those in use first, in their order; then what is here; then what could be fetched."""
    used = local_models(settings)
    holdings = [_used(ref, place == 0, files) for place, ref in enumerate(used)]
    names = {holding.name for holding in holdings}
    for origin in files.all():
        if origin.name not in names:
            path = str(files.path(origin))
            kinds = {settings.signals.entailment: "entailment", settings.signals.pictures: "vision"}
            kind = kinds.get(path)
            holdings.append(_asked(origin, files, kind) if kind else _fetched(origin, files))
            names.add(origin.name)
    holdings += [_part(name) for name in files.parts() if name not in names and hub_model(name) is None]
    holdings += [_offered(model, files) for model in HUB_MODELS if model.name not in names]
    return tuple(holdings)


def _part(name: str) -> Holding:
    """What a fetch that was broken off left of a repository's file. Which one it was, its own notes alone know."""
    return Holding(
        name=name,
        source="hub",
        in_use=False,
        default=False,
        kind="unknown",
        engine="unknown",
        runnable=True,
        size_bytes=None,
        licence=None,
        path=None,
        begun=True,
    )


def _used(ref: ModelRef, default: bool, files: ModelFiles) -> Holding:
    packaged = known(ref.name) if ref.path is None else None
    origin = files.owner(ref.path) if ref.path else None
    model = hub_model(origin.name) if origin else None
    return Holding(
        name=ref.name,
        source="package" if packaged else "download" if origin else "import",
        in_use=True,
        default=default,
        kind=model.kind if model else "chat",
        engine=ref.engine,
        runnable=True,
        size_bytes=packaged.size_bytes if packaged else origin.size_bytes if origin else _size(ref.path),
        licence=packaged.licence if packaged else origin.licence if origin else None,
        path=ref.path,
    )


def _fetched(origin: Origin, files: ModelFiles) -> Holding:
    model = hub_model(origin.name)
    engine = model.engine if model else ""
    return Holding(
        name=origin.name,
        source="download",
        in_use=False,
        default=False,
        kind=model.kind if model else "chat",
        engine=engine,
        runnable=model is not None and model.why_not is None,
        size_bytes=origin.size_bytes,
        licence=origin.licence,
        path=str(files.path(origin)),
    )


def _asked(origin: Origin, files: ModelFiles, kind: str) -> Holding:
    """One that the settings name for signals, and that answers nothing else."""
    return replace(_fetched(origin, files), kind=kind, engine="openvino", runnable=True)


def _offered(model: HubModel, files: ModelFiles) -> Holding:
    return Holding(
        name=model.name,
        source="hub",
        in_use=False,
        default=False,
        kind=model.kind,
        engine=model.engine,
        runnable=model.why_not is None,
        size_bytes=model.size_bytes,
        licence=model.licence,
        path=None,
        confirmed=model.confirmed,
        begun=files.begun(model.name),
    )


def _size(path: str | None) -> int | None:
    """Of a file; of a folder it would have to be counted."""
    try:
        return Path(path).stat().st_size if path and Path(path).is_file() else None
    except OSError:
        return None
