"""`nearloop provider`: who may be asked beyond this machine's own models. It needs no daemon."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from typing import Final

import click
import msgspec

from daemon.boundary.switch import Switch
from daemon.cli.taking_in import tell_daemon
from daemon.cli.terminal import row
from daemon.client import Client, NotRunning, discover
from daemon.errors import NearloopError, NotFound
from daemon.paths import paths
from daemon.provider_rows import known_vendors, made, require_unnamed
from daemon.receipts.store import Receipts, of_command
from daemon.secrets import caution, in_keyring
from daemon.settings import Provider, SettingsFile, Spent
from daemon.stored_keys import StoredKeys
from daemon.version import version
from daemon.wire import NewProvider, Upstream
from providers.contract import KeySource


@click.group()
def provider() -> None:
    """Say who may be asked beyond this machine's own models."""


@provider.command()
@click.argument("name")
@click.option("--url", help="Its address, up to and with the version; known vendors need none.")
@click.option("--wire", help="The protocol that it speaks; openai-chat if left out.")
@click.option("--model", "models", multiple=True, help="A model to offer; repeatable. All that it has, if left out.")
@click.option("--key", help="keyring, env:NAME, credential:NAME, file:PATH or none.")
@click.option(
    "--place", type=click.Choice(["device", "lan", "cloud"]), help="Where it runs; by its address if left out."
)
def add(
    name: str, url: str | None, wire: str | None, models: tuple[str, ...], key: str | None, place: str | None
) -> None:
    """Add the provider NAME: a known vendor by its name alone, any other with its --url."""
    file = SettingsFile(paths().settings)
    found = made(_wanted(name, url, wire, models, key, place), file.settings)
    file.add_provider(name, found.row)
    for note in found.notes:
        click.echo(note)
    if found.row.key == "keyring":
        click.echo(
            f"Its key: `nearloop key set {name}` stores it in the keyring, and asks what may be spent there a day."
        )
        if found.key_variable and os.environ.get(found.key_variable):
            variable = found.key_variable
            click.echo(f"Or keep it in {variable}, which is set here: add it again with `--key env:{variable}`.")
    elif found.row.key != "none" and _is_unlimited_cloud(file, name, found.row):
        click.echo(f"Nothing limits what it may cost: see [spending.providers.{name}] in docs/money.md.")
    for warning in found.warnings:
        click.echo(f"Warning: {warning}.", err=True)
    _say_restart()


def _is_unlimited_cloud(file: SettingsFile, name: str, row: Provider) -> bool:
    from providers.places import place_of

    spent = file.settings.spending.providers.get(name, Spent())
    return place_of(row.base_url, row.place) == "cloud" and spent.day_usd is None and spent.month_usd is None


def _wanted(
    name: str, url: str | None, wire: str | None, models: tuple[str, ...], key: str | None, place: str | None
) -> NewProvider:
    told = {"name": name, "base_url": url, "wire": wire, "models": models, "key": key, "place": place}
    return msgspec.convert(told, NewProvider)


def _say_restart() -> None:
    """Settings take effect at the next start."""
    try:
        running = discover(paths())
    except NotRunning:
        return
    import psutil

    if psutil.pid_exists(running.pid):  # a daemon that crashed leaves its note behind
        tell_daemon()  # so that the dashboard shows it
        click.echo("Nearloop is running: `nearloop down` and `nearloop up` make it take effect.")


@provider.command(name="list")
@click.option("--known", is_flag=True, help="Those that can be added by their name.")
def list_(known: bool) -> None:
    """Show the providers, where they are, where their keys come from, and how they stand if Nearloop runs."""
    from providers.places import place_of

    if known:
        for vendor in known_vendors():
            untested = "" if vendor.tested else ", untested: known from its documentation alone"
            address = f"--url {vendor.base_url}" if vendor.needs_address else vendor.base_url
            row(f"{vendor.name}: {address} ({vendor.wire}, {vendor.place}){untested}")
        return

    found = SettingsFile(paths().settings).settings.providers
    if not found:
        click.echo("no providers: `nearloop provider add NAME` adds one")
    standing = _standing() if found else {}
    for name, each in found.items():
        models = ", ".join(each.models) or "all that it has"
        place = place_of(each.base_url, each.place)
        keys = ", ".join(each.sources)
        row(f"{name}: {each.base_url} ({each.wire}, {place}), key: {keys}, models: {models}")
        for weak in filter(None, map(caution, each.sources)):
            row(f"    warning: {weak}")
        if told := standing.get(name):
            row(f"    {told}")


def _tell_that_it_answers(name: str) -> None:
    """A running daemon asks it again, whatever it did before."""
    with suppress(NotRunning, NearloopError), Client(paths()) as daemon:
        daemon.renew_provider(name)


def _standing() -> dict[str, str]:
    """Of those that the running daemon asks, how they stand, in words; nothing if none runs."""
    try:
        with Client(paths()) as daemon:
            shown = [each.upstream for each in daemon.providers().providers if each.upstream is not None]
    except (NotRunning, NearloopError):
        return {}
    return {each.provider: _stands(each) for each in shown}


def _stands(upstream: Upstream) -> str:
    back = f", asked again in {upstream.back_in_s:.0f} s" if upstream.back_in_s is not None else ""
    models = f" ({', '.join(upstream.limited)})" if upstream.limited else ""
    told = f"{_STATES[upstream.state]}{models}{back}"
    if upstream.running or upstream.waiting:
        told += f"; {upstream.running} of {upstream.concurrent} requests there, {upstream.waiting} waiting"
    return told


_STATES: Final = {
    "ready": "ready",
    "limited": "at its limit",
    "down": "failed too often in a row",
    "trying": "failed too often in a row; the next request tries it",
    "no-credit": "without credit",
    "offline": "out of reach: no network leads there",
}


@provider.command()
@click.argument("name")
def test(name: str) -> None:
    """Ask the provider NAME for its models: no request of yours is sent."""
    began = time.perf_counter()
    models = models_of(name, configured(name), "provider test")
    took_ms = (time.perf_counter() - began) * 1000
    click.echo(f"{name} answers ({took_ms:.0f} ms): {len(models)} models")
    _tell_that_it_answers(name)
    row = configured(name)
    for missing in sorted({*row.models} - {*models}):
        click.echo(f"    it doesn't list {missing}, which settings.toml names")


@provider.command()
@click.argument("name")
def remove(name: str) -> None:
    """Take the provider NAME out of the settings. Its key in the keyring stays."""
    row = configured(name)
    file = SettingsFile(paths().settings)
    require_unnamed(name, file.settings)
    file.remove_provider(name)
    click.echo(f"{name} is no longer a provider")
    for source in filter(in_keyring, row.sources):
        which = f" --as {source.partition(':')[2]}" if ":" in source else ""
        click.echo(f"Its key is still in the keyring: `nearloop key remove {name}{which}` deletes it.")
    _say_restart()


def configured(name: str) -> Provider:
    """A provider's row in the settings. Raises NotFound."""
    found = SettingsFile(paths().settings).settings.providers
    if name not in found:
        raise NotFound(f"there is no provider {name}: `nearloop provider list` shows them, `provider add` adds one")
    return found[name]


def models_of(name: str, row: Provider, command: str, keys: KeySource | None = None) -> tuple[str, ...]:
    """Ask for its models. command: whose receipt it is. keys: None: its own. Raises NearloopError in its words."""
    from providers.cleared import Place
    from providers.contract import ProviderError
    from providers.http import Http
    from providers.places import place_of
    from providers.registry import provider_of, target_of

    async def ask(receipts: Receipts) -> tuple[str, ...]:
        place = place_of(row.base_url, row.place)
        if place is not Place.DEVICE:
            Switch(paths().local_only).require_off("a question to a provider")
        http = Http(version(), receipts.witness())
        try:
            source = keys or StoredKeys(name, row.sources, place.value)
            target = target_of(name, row.base_url, place, api_version=row.api_version)
            return await provider_of(row.wire, http, target, source).models()
        finally:
            await http.close()

    try:
        with of_command(paths().receipts, command) as receipts:
            return asyncio.run(ask(receipts))
    except ProviderError as error:
        raise NearloopError(str(error)) from error
