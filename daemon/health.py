"""Named warnings: what is wrong or worth knowing, and what to do about it."""

from __future__ import annotations

from daemon.records import Store
from daemon.routing.book import Book
from daemon.wire import Model, Upstream, Warning

BETTER_MODEL = (
    "fetch one with `nearloop models pull qwen3-1.7b` (`nearloop models list` shows others), or use a file of yours with "
    "`nearloop models import`"
)


def warnings(
    models: tuple[Model, ...],
    store: Store,
    signal_models: tuple[str, ...] = (),
    book: Book | None = None,
    ollama_trouble: str | None = None,
    exposed: tuple[str, ...] = (),
    clients: int = 0,
    receipts: tuple[Warning, ...] = (),
    upstreams: tuple[Upstream, ...] = (),
) -> tuple[Warning, ...]:
    """Everything that the user should know now. signal_models: why small models that were asked for are not there.

    ollama_trouble: why the second port could not be had. exposed: where other machines find it. clients: programs that have
    a token. receipts: what is to be said of them, and by them. upstreams: how providers stand.
    """
    ports = _ports(ollama_trouble) if ollama_trouble else []
    doors = _exposed(exposed, clients) if exposed else []
    recipes = _recipe(book) if book else ()
    return (
        *receipts,
        *doors,
        *_upstreams(upstreams),
        *_models(models),
        *_records(store),
        *_signals(signal_models),
        *recipes,
        *ports,
    )


def _upstreams(upstreams: tuple[Upstream, ...]) -> list[Warning]:
    """Of those that are out, but not of the network, which the user sees."""
    found = []
    for each in upstreams:
        test = f"`nearloop provider test {each.provider}` asks it now"
        if each.state == "no-credit":
            text = f"{each.provider} has no credit left and isn't asked: others answer, or this machine"
            found.append(Warning("provider-no-credit", "warning", text, f"look at its billing page; then {test}"))
        elif each.state in ("down", "trying") and each.failures:
            text = f"{each.provider} failed {each.failures} times in a row and is left alone for moments"
            found.append(Warning("provider-down", "warning", text, f"look at its status page; {test}"))
    return found


def _exposed(urls: tuple[str, ...], clients: int) -> list[Warning]:
    text = (
        f"other machines can reach this daemon at {' and '.join(urls)}: it answers them by a client's token only, over "
        "plain HTTP, which anybody on the way can read"
    )
    remedy = (
        "keep that to a network of containers or to a tunnel, and start without --expose when it isn't needed any more"
    )
    if not clients:
        remedy = f"no program has a token yet: `nearloop client add NAME` makes one; {remedy}"
    return [Warning("exposed", "warning", text, remedy)]


def _ports(trouble: str) -> list[Warning]:
    remedy = "stop that program and start Nearloop again, or take server.ollama_port out of settings.toml"
    return [
        Warning("ollama-port-taken", "warning", f"{trouble}: Ollama's clients find another there, or nobody", remedy)
    ]


def _recipe(book: Book) -> list[Warning]:
    found = []
    if book.failure is not None:
        text = "the recipe of the settings can't be used: the one before it stays in use"
        found.append(Warning("recipe-broken", "error", text, book.failure))
    problems = [each for each in (book.edition.problems if book.edition else ()) if each.severity == "warning"]
    if problems and book.edition:
        words = "; ".join(f"{each.message} ({each.remedy})" for each in problems)
        found.append(
            Warning("recipe-parts-missing", "warning", f"parts of the recipe {book.edition.source.name}", words)
        )
    return found


def _signals(reasons: tuple[str, ...]) -> list[Warning]:
    text = "signals that need a small model could not look: their rules are unknown"
    return [Warning("signal-models-missing", "warning", text, reason) for reason in reasons]


def _models(models: tuple[Model, ...]) -> list[Warning]:
    found = []
    for model in models:
        if model.state == "failed":
            text = f"{model.name} can't be loaded"
            found.append(Warning("model-failed", "error", text, model.error or "see `nearloop doctor`"))
    if models and models[0].demonstration:
        text = "the embedded model is a demonstration: it shows that everything works, its answers are weak"
        found.append(Warning("demonstration-model", "info", text, BETTER_MODEL))
    return found


def _records(store: Store) -> list[Warning]:
    found = []
    if store.failure:
        text = f"records can't be written: {store.failure}"
        found.append(Warning("records-unwritable", "error", text, "free disk space, or check the file's permissions"))
    if store.dropped:
        text = f"{store.dropped} records were lost while the disk refused them"
        found.append(Warning("records-dropped", "error", text, "free disk space"))
    return found
