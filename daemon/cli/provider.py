"""`nearloop provider`: who may be asked beyond this machine's own models. It needs no daemon."""

from __future__ import annotations

import asyncio
import os
import time

import click
import msgspec

from daemon.boundary.switch import Switch
from daemon.cli.terminal import row
from daemon.client import NotRunning, discover
from daemon.errors import BadRequest, NearloopError, NotFound
from daemon.paths import paths
from daemon.receipts.store import Receipts, of_command
from daemon.secrets import StoredKey, caution
from daemon.settings import Provider, SettingsFile
from daemon.version import version


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
    from providers.places import place_of
    from providers.registry import PROVIDERS, VENDORS

    vendor = VENDORS.get(name)
    if url is None and vendor is None:
        raise BadRequest(f"{name} is no known vendor ({', '.join(VENDORS)}): say where it is with --url")
    wire = wire or (vendor.wire if vendor else "openai-chat")
    if wire not in PROVIDERS:
        raise BadRequest(f"--wire is one of {', '.join(PROVIDERS)}")
    file = SettingsFile(paths().settings)
    if name in file.settings.providers:
        raise BadRequest(f"there is a provider {name} already: `nearloop provider remove {name}` first")
    here = url is None and vendor is not None and vendor.key_variable is None
    if here and place is None:
        place = "device"  # a server for local models, at its own port: naming it is the confirmation
    base_url = url or (vendor.base_url if vendor else "")
    try:
        where = place_of(base_url, place)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    key = key or ("none" if where == "device" else "keyring")
    row: dict[str, object] = {"base_url": base_url, "wire": wire, "models": models, "key": key, "place": place}
    row["accepts"] = vendor.accepts if vendor and base_url == vendor.base_url else ()
    file.add_provider(name, _provider(row))

    click.echo(f"{name}: {base_url}, which counts as {_PLACES[where]}")
    if here:
        click.echo(
            f"If that port leads to another machine, add it again with `--place cloud`: {name} would be sent anything."
        )
    elif where == "cloud" and place is None and _is_loopback(base_url):
        click.echo("It counts as cloud until you confirm that it runs here: add it again with `--place device`.")
    if where == "cloud" and base_url.startswith("http://") and not _is_loopback(base_url):
        click.echo("Warning: without https:// anybody on the way reads the key and every word.", err=True)
    _say_about_key(name, key, vendor.key_variable if vendor else None)
    _say_restart()


def _provider(row: dict[str, object]) -> Provider:
    try:
        return msgspec.convert(row, Provider)
    except msgspec.ValidationError as error:
        raise BadRequest("--key is keyring, env:NAME, credential:NAME, file:PATH or none") from error


_PLACES = {
    "device": "this machine: nothing leaves it",
    "lan": "another machine in your network",
    "cloud": "somebody else's: requests go there as the privacy policy lets them",
}


def _is_loopback(base_url: str) -> bool:
    from providers.places import Address, address_of, url_of

    return address_of(url_of(base_url).host or "") is Address.LOOPBACK


def _say_about_key(name: str, key: str, variable: str | None) -> None:
    if key == "keyring":
        click.echo(f"Its key: `nearloop key set {name}` stores it in the keyring.")
        if variable and os.environ.get(variable):
            click.echo(f"Or keep it in {variable}, which is set here: add it again with `--key env:{variable}`.")
    if weak := caution(key):
        click.echo(f"Warning: {weak}.", err=True)


def _say_restart() -> None:
    """Settings take effect at the next start."""
    try:
        running = discover(paths())
    except NotRunning:
        return
    import psutil

    if psutil.pid_exists(running.pid):  # a daemon that crashed leaves its note behind
        click.echo("Nearloop is running: `nearloop down` and `nearloop up` make it take effect.")


@provider.command(name="list")
def list_() -> None:
    """Show the providers, where they are and where their keys come from."""
    from providers.places import place_of

    found = SettingsFile(paths().settings).settings.providers
    if not found:
        click.echo("no providers: `nearloop provider add NAME` adds one")
    for name, each in found.items():
        models = ", ".join(each.models) or "all that it has"
        place = place_of(each.base_url, each.place)
        row(f"{name}: {each.base_url} ({each.wire}, {place}), key: {each.key}, models: {models}")
        if weak := caution(each.key):
            row(f"    warning: {weak}")


@provider.command()
@click.argument("name")
def test(name: str) -> None:
    """Ask the provider NAME for its models: no request of yours is sent."""
    began = time.perf_counter()
    models = models_of(name, configured(name), "provider test")
    took_ms = (time.perf_counter() - began) * 1000
    click.echo(f"{name} answers ({took_ms:.0f} ms): {len(models)} models")
    row = configured(name)
    for missing in sorted({*row.models} - {*models}):
        click.echo(f"    it doesn't list {missing}, which settings.toml names")


@provider.command()
@click.argument("name")
def remove(name: str) -> None:
    """Take the provider NAME out of the settings. Its key in the keyring stays."""
    row = configured(name)
    SettingsFile(paths().settings).remove_provider(name)
    click.echo(f"{name} is no longer a provider")
    if row.key == "keyring":
        click.echo(f"Its key is still in the keyring: `nearloop key remove {name}` deletes it.")
    _say_restart()


def configured(name: str) -> Provider:
    """A provider's row in the settings. Raises NotFound."""
    found = SettingsFile(paths().settings).settings.providers
    if name not in found:
        raise NotFound(f"there is no provider {name}: `nearloop provider list` shows them, `provider add` adds one")
    return found[name]


def models_of(name: str, row: Provider, command: str) -> tuple[str, ...]:
    """Ask for its models. command: whose receipt it is. Raises NearloopError in the provider's words."""
    from providers.cleared import Place
    from providers.contract import ProviderError
    from providers.http import Http, Target
    from providers.places import place_of
    from providers.registry import PROVIDERS

    async def ask(receipts: Receipts) -> tuple[str, ...]:
        place = place_of(row.base_url, row.place)
        if place is not Place.DEVICE:
            Switch(paths().local_only).require_off("a question to a provider")
        http = Http(version(), receipts.witness())
        try:
            key = StoredKey(name, row.key, place.value)
            return await PROVIDERS[row.wire](http, Target(name, row.base_url, place), key).models()
        finally:
            await http.close()

    try:
        with of_command(paths().receipts, command) as receipts:
            return asyncio.run(ask(receipts))
    except ProviderError as error:
        raise NearloopError(str(error)) from error
