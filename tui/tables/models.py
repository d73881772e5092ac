"""Models as rows, and all that is known of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from textual.content import Content

from daemon import wire
from tui.drawing import bar
from tui.panels.writing import fact, said, wrapped
from tui.tones import Tone, Toned
from tui.words import short, size

NOTHING: Final = Toned("–", "muted")
_MARKS: Final[dict[str, Toned]] = {
    "ready": Toned("●", "good"),
    "cold": Toned("○", "muted"),
    "preparing": Toned("◔", "accent"),
    "loading": Toned("◑", "accent"),
    "restarting": Toned("↻", "warn"),
    "failed": Toned("✗", "bad"),
}
_STATES: Final[dict[str, str]] = {"ready": "loaded", "cold": "not loaded"}
_SOURCES: Final[dict[str, str]] = {
    "package": "comes with Nearloop",
    "download": "downloaded",
    "import": "your own file",
    "hub": "on the hub",
}


class Entry(Struct, frozen=True):
    """One model: as the daemon runs it, as the disk or the hub has it, and as it is fetched, each if it is so."""

    name: str
    model: wire.Model | None = None
    holding: wire.Holding | None = None
    fetch: wire.Fetch | None = None

    @property
    def fetching(self) -> bool:
        """Whether it is on its way."""
        return self.fetch is not None and self.fetch.state == "running"


def entries(
    models: Iterable[wire.Model], holdings: Iterable[wire.Holding], fetches: Mapping[str, wire.Fetch]
) -> list[Entry]:
    """Those in use, then what is on its way, then what is here, then what could be fetched."""
    running = {model.name.removeprefix("local/"): model for model in models}
    held = {holding.name: holding for holding in holdings}
    moving = [name for name, fetch in fetches.items() if fetch.state == "running" or name not in held]
    names = dict.fromkeys([*running, *moving, *held])
    return [Entry(name, running.get(name), held.get(name), fetches.get(name)) for name in names]


def row(entry: Entry) -> tuple[Toned, ...]:
    """As a row of the table."""
    model, holding = entry.model, entry.holding
    mark, state = _state(entry)
    return (
        mark,
        Toned(entry.name, "plain" if model else "muted"),
        state,
        Toned(model.device) if model and model.device else NOTHING,
        _memory(model),
        _busy(model),
        _kept(model),
        Toned(str(model.restarts), "warn") if model and model.restarts else NOTHING,
        Toned(short(model.context_tokens)) if model and model.context_tokens else NOTHING,
        _size(holding),
        Toned(holding.kind, "muted") if holding else NOTHING,
        Toned(holding.licence or "unknown", "muted") if holding else NOTHING,
    )


def _state(entry: Entry) -> tuple[Toned, Toned]:
    fetch, model, holding = entry.fetch, entry.model, entry.holding
    if fetch and fetch.state == "running":
        done = f"fetching {_part(fetch):.0%}" if fetch.whole_bytes else "fetching …"
        return Toned("↓", "accent"), Toned(done, "accent")
    if model is not None:
        tone: Tone = _MARKS[model.state].tone
        part = f" {model.fraction:.0%}" if model.fraction is not None else ""
        return _MARKS[model.state], Toned(_STATES.get(model.state, model.state) + part, tone)
    if fetch and fetch.state == "failed":
        return Toned("✗", "bad"), Toned("not fetched", "bad")
    if holding is None:
        return Toned("·", "muted"), Toned("stopped", "muted")
    if holding.source == "hub":
        return Toned("·", "muted"), Toned("partly here" if holding.begun else "on the hub", "muted")
    return Toned("·", "muted"), Toned("not in use", "muted")


def _part(fetch: wire.Fetch) -> float:
    return fetch.done_bytes / fetch.whole_bytes if fetch.whole_bytes else 0.0


def _memory(model: wire.Model | None) -> Toned:
    return Toned(size(model.estimate_bytes)) if model and model.estimate_bytes else NOTHING


def _busy(model: wire.Model | None) -> Toned:
    if model is None or not model.running + model.waiting:
        return NOTHING
    waiting = f"+{model.waiting}" if model.waiting else ""
    return Toned(f"{model.running}{waiting}", "warn" if model.waiting else "accent")


def _kept(model: wire.Model | None) -> Toned:
    if model is None:
        return NOTHING
    return Toned("always", "accent") if model.keep_s is None else Toned(stay(model.keep_s), "muted")


def stay(seconds: float) -> str:
    """How long it stays: `10 min`, `1 h`."""
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"


def _size(holding: wire.Holding | None) -> Toned:
    if holding is None or holding.size_bytes is None:
        return NOTHING
    return Toned(("" if holding.confirmed else "~") + size(holding.size_bytes), "muted")


def detail(entry: Entry | None, width: int) -> list[Content]:
    """All that is known of it, for so many cells."""
    if entry is None:
        return [said(Toned("asking which models there are …", "muted"))]
    lines = [said(Toned(entry.name, "strong"), "  ", _state(entry)[1])]
    if entry.fetch is not None:
        lines += _fetched(entry.fetch, width)
    if entry.model is not None:
        lines += _running(entry.model, width)
    if entry.holding is not None:
        lines += _held(entry.holding, entry.model is not None, width)
    return lines


def _fetched(fetch: wire.Fetch, width: int) -> list[Content]:
    lines = []
    if fetch.state == "running" and fetch.file:
        whole = f" of {size(fetch.whole_bytes)}" if fetch.whole_bytes else ""
        lines.append(said(Toned(bar(_part(fetch), min(40, width - 8)), "accent"), f" {_part(fetch):.0%}"))
        lines += fact("file", f"{fetch.file}, {size(fetch.done_bytes)}{whole}", width)
    if fetch.told:
        lines += wrapped(fetch.told, width, tone="bad" if fetch.state == "failed" else "muted")
    return lines


def _running(model: wire.Model, width: int) -> list[Content]:
    lines = []
    if model.error:
        lines += wrapped(model.error, width, tone="bad")
    if model.device:
        why = f": {model.device_why}" if model.device_why else ""
        lines += fact("runs on", f"{model.device}{why}", width)
    if model.estimate_bytes or model.memory_cap_bytes:
        cap = f", at most {size(model.memory_cap_bytes)}" if model.memory_cap_bytes else ""
        lines += fact("memory", f"{size(model.estimate_bytes or 0)} when busy{cap}", width)
    kept = "loaded, always" if model.keep_s is None else f"loaded for {stay(model.keep_s)} without a request"
    lines += fact("stays", kept, width)
    lines += fact("busy", f"{model.running} running, {model.waiting} waiting", width)
    lines += fact("restarts", str(model.restarts), width, "warn" if model.restarts else "plain")
    if model.worker_pid:
        lines += fact("process", str(model.worker_pid), width)
    versions = ", ".join(f"{name} {version}" for name, version in model.versions.items())
    lines += fact("engine", f"{model.engine}{' · ' if versions else ''}{versions}", width)
    if model.confinement:
        lines += fact("confined", ", ".join(model.confinement), width, "good")
    if model.demonstration:
        lines += wrapped("It shows that all works, and is too small to be relied on.", width)
    return lines


def _held(holding: wire.Holding, in_use: bool, width: int) -> list[Content]:
    about = f"{_SOURCES[holding.source]}, {holding.licence or 'licence unknown'}"
    if holding.size_bytes is not None:
        about += f", {'' if holding.confirmed else 'about '}{size(holding.size_bytes)}"
    lines = fact("from", about, width)
    if holding.default:
        lines += fact("use", "it is what `local` means", width)
    if holding.path:
        lines += fact("path", holding.path, width)
    if not holding.runnable:
        lines.append(said(Toned("No engine here runs it yet.", "warn")))
    elif holding.source == "hub" and not in_use:
        lines += wrapped("f fetches it" + (", from where it was" if holding.begun else ""), width, tone="accent")
    return lines
