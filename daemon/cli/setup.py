"""`nearloop setup`: look at this machine, say what fits it, and put it to use. It may be skipped, repeated and scripted."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import psutil

from daemon.cli.terminal import styled
from daemon.errors import BadRequest, NearloopError
from daemon.paths import paths
from daemon.settings import CLIENT_NAME, Provider, SettingsFile

if TYPE_CHECKING:
    from daemon.fitting import Fit
    from daemon.measuring import Speed
    from providers.local_servers import LocalServer

PRESETS: Final = {
    "strict": "what holds anything private stays on this machine",
    "balanced": "private values are masked before anything leaves",
    "open": "only keys and passwords are masked",
}
NONE: Final = "none"
LOOK_S: Final = 0.3
BUSY: Final = 30.0
"""Per cent of the processor in others' use, from which a measurement says too little."""


@click.command()
@click.option("--yes", "-y", is_flag=True, help="Ask nothing; only what the options say is done.")
@click.option("--privacy", type=click.Choice(list(PRESETS)), help="How much may leave this machine.")
@click.option("--model", help="A model to fetch, as `models list` names it, or `none`.")
@click.option("--server", "servers", multiple=True, help="A local server that was found, to be used; repeatable.")
@click.option("--client", "clients", multiple=True, help="A program to make a token for; repeatable.")
@click.option("--no-measuring", is_flag=True, help="Don't measure this machine's speed, which takes some seconds.")
def setup(
    yes: bool,
    privacy: str | None,
    model: str | None,
    servers: tuple[str, ...],
    clients: tuple[str, ...],
    no_measuring: bool,
) -> None:
    """Set Nearloop up on this machine.

    Measures it, finds the models and servers that are here already, names the model that fits best, and asks for a privacy
    preset and for the programs that shall have tokens. Nothing is fetched or used without a yes.
    """
    asking = not yes and _is_terminal()
    for name in clients:
        if not CLIENT_NAME.fullmatch(name):
            raise BadRequest("--client: a name is 1 to 40 of a-z, 0-9, - and _")
    _machine()
    speed = None if no_measuring else _speed()
    _models(speed, model, asking)
    _servers(servers, asking)
    _privacy(privacy, asking)
    _clients(clients, asking)
    click.echo("\nDone. `nearloop up` starts it, `nearloop doctor` looks for what is wrong, and this may be repeated.")


def _is_terminal() -> bool:
    return sys.stdin.isatty()


def _head(text: str) -> None:
    click.echo()
    styled(text, bold=True)


def _machine() -> None:
    _head("This machine")
    memory = psutil.virtual_memory()
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    click.echo(
        f"{cores} cores, {memory.total / 1e9:.1f} GB of memory, of which {memory.available / 1e9:.1f} GB are free now"
    )


# ---- speed and models -----------------------------------------------------------------------------------------------


def _speed() -> Speed | None:
    """With the embedded model, which is always here."""
    from daemon.measuring import measured
    from daemon.pool import rules_of
    from edge_models.catalog import CATALOG, ModelRef
    from providers.contract import ProviderError

    entry = CATALOG[0]
    keys = rules_of(SettingsFile(paths().settings).settings).of(entry.name).keys
    busy = psutil.cpu_percent(LOOK_S)
    click.echo(f"measuring its speed with {entry.name} …")
    try:
        speed = asyncio.run(measured(ModelRef(entry.name, entry.engine), paths().models, keys))
    except (NearloopError, ProviderError, TimeoutError) as error:
        click.echo(f"its speed can't be measured: {error or type(error).__name__}")
        return None
    click.echo(
        f"{speed.model} on {speed.device}: reads {speed.reading:.0f} and writes {speed.writing:.0f} tokens a second"
    )
    if busy > BUSY:
        click.echo(f"other programs kept {busy:.0f} % of it busy: it is faster without them")
    return speed


def _models(speed: Speed | None, wanted: str | None, asking: bool) -> None:
    _head("Models")
    _say_neighbours()
    best = _best(speed) if speed else None
    if wanted is None and asking and best and not _has(best.name):
        question = f"Fetch {best.name} ({best.size_bytes / 1e9:.1f} GB, {best.licence})?"
        wanted = best.name if click.confirm(question, default=False) else NONE
    if wanted and wanted != NONE:
        from daemon.cli.models_pull import pull

        pull.main([wanted], standalone_mode=False)


def _has(name: str) -> bool:
    return name in SettingsFile(paths().settings).settings.models


def _say_neighbours() -> None:
    from edge_models.neighbours import neighbours

    found = neighbours(os.environ, Path.home())
    used = SettingsFile(paths().settings).settings.models
    click.echo(f"in use: {', '.join(used) or 'the embedded demonstration'}")
    for each in found:
        click.echo(f"here already: {each.program}/{each.name}, {each.size_bytes / 1e9:.1f} GB")
    if found:
        click.echo("`nearloop models import NAME` uses one of them where it is.")


def _best(speed: Speed) -> Fit | None:
    """Say what fits, and return the best."""
    from daemon.cli.models_estimate import shape_for
    from daemon.fitting import Offer, bytes_a_second, fits
    from edge_models.hub_models import HUB_MODELS

    offers = [
        Offer(model.name, model.engine, model.licence, model.size_bytes, model.shape)
        for model in HUB_MODELS
        if model.kind == "chat" and model.why_not is None
    ]
    weights_a_second = bytes_a_second(speed.writing, shape_for(speed.model)[0].weights_bytes)
    found = fits(offers, psutil.virtual_memory().total, weights_a_second)
    for fit in found:
        if fit.why_not:
            click.echo(f"not {fit.name}: {fit.why_not}")
    best = next((fit for fit in found if not fit.why_not), None)
    if best is None:
        click.echo("of the models that can be fetched, none fits this machine")
    else:
        predicted = f"about {best.writing:.0f} tokens a second by what was measured"
        click.echo(f"best fit: {best.name}, {predicted}, {best.memory_bytes / 1e9:.1f} GB of memory when busy")
    return best


# ---- servers --------------------------------------------------------------------------------------------------------


def _servers(wanted: tuple[str, ...], asking: bool) -> None:
    from daemon.receipts.store import of_command
    from daemon.version import version
    from providers.local_servers import look

    _head("Servers on this machine")
    with of_command(paths().receipts, "setup") as receipts:
        found = {server.name: server for server in asyncio.run(look(version(), receipts.witness()))}
    for name in wanted:
        if name not in found:
            raise BadRequest(
                f"--server {name}: none of that name answers here; there are: {', '.join(found) or 'none'}"
            )
    file = SettingsFile(paths().settings)
    used = {row.base_url for row in file.settings.providers.values()}
    if not found:
        click.echo("none answers at the usual ports")
    for server in found.values():
        if server.base_url in used:
            click.echo(f"{server.name}: in use")
        elif not server.models:
            click.echo(f"{server.name} at {server.base_url} has no models")
        elif server.name in wanted or (asking and _wants(server)):
            file.add_provider(
                server.name, Provider(server.base_url, models=server.models[:1], key="none", place="device")
            )
            click.echo(f"{server.name}: {server.models[0]} joins `auto`")
        else:
            click.echo(f"{server.name} at {server.base_url}, with {', '.join(server.models[:3])}: not used")


def _wants(server: LocalServer) -> bool:
    click.echo(f"{server.name} answers at {server.base_url}, with {', '.join(server.models[:3])}")
    return click.confirm(
        "Use it? It will see what may not leave this machine, so its models must run here.", default=True
    )


# ---- privacy and clients --------------------------------------------------------------------------------------------


def _privacy(wanted: str | None, asking: bool) -> None:
    _head("Privacy")
    file = SettingsFile(paths().settings)
    now = file.settings.policy.privacy
    if wanted is None and asking:
        for name, meaning in PRESETS.items():
            click.echo(f"{name}: {meaning}")
        wanted = click.prompt("Which?", type=click.Choice(list(PRESETS)), default=now)
    if wanted and wanted != now:
        file.set_privacy(wanted)
        now = file.settings.policy.privacy
    click.echo(f"{now}: {PRESETS[now]}")


def _clients(wanted: tuple[str, ...], asking: bool) -> None:
    _head("Programs")
    names = list(wanted)
    if asking and not names:
        click.echo(
            "A program without a token is answered on this machine only; one with a token may have cloud answers."
        )
        said = click.prompt("Make tokens for (names with blanks between, or nothing)", default="", show_default=False)
        names = said.split()
    from daemon.connecting.tokens import make_token

    have = SettingsFile(paths().settings).settings.clients
    for name in names:
        if name in have:
            click.echo(f"{name} has a token; `nearloop client revoke {name}` takes it back")
        elif not CLIENT_NAME.fullmatch(name):
            click.echo(f"not {name[:40]!r}: a name is 1 to 40 of a-z, 0-9, - and _")
        else:
            click.echo(f"{name}: {make_token(paths(), name)}")
    if not names:
        click.echo(f"with a token: {', '.join(have) or 'none yet'}; `nearloop client add NAME` makes one")
