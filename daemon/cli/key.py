"""`nearloop key`: providers' keys in the operating system's keyring. It needs no daemon."""

from __future__ import annotations

import sys

import click

from daemon import secrets
from daemon.cli.provider import configured, models_of
from daemon.errors import NearloopError, NotFound
from daemon.paths import paths
from daemon.settings import SettingsFile


@click.group()
def key() -> None:
    """Keep providers' keys in the keyring."""


@key.command(name="set")
@click.argument("provider")
def set_(provider: str) -> None:
    """Store the key of PROVIDER: typed without being shown, or from standard input."""
    source = _source(provider)
    typed = click.prompt("Key", hide_input=True) if sys.stdin.isatty() else sys.stdin.read(secrets.KEY_LIMIT_BYTES)
    secrets.set(provider, secrets.key_from(typed))
    click.echo(f"the key of {provider} is in the keyring ({secrets.keyring_name()})")
    if source is None:
        click.echo(f"{provider} is not in the settings yet: `nearloop provider add {provider}`")
    elif source != "keyring":
        click.echo(f'But settings.toml says `key = "{source}"`: put `key = "keyring"` there to use this one.')


def _source(provider: str) -> str | None:
    """Where settings.toml takes its key from; None for a vendor that isn't in them yet. Raises NotFound."""
    from providers.vendors import VENDORS

    row = SettingsFile(paths().settings).settings.providers.get(provider)
    if row is None and provider not in VENDORS:
        raise NotFound(f"there is no provider {provider}: `nearloop provider add` adds one, `provider list` shows them")
    return row.key if row else None


@key.command(name="list")
def list_() -> None:
    """Show where each provider's key comes from, and whether it is there. No key is shown."""
    from providers.places import place_of

    found = SettingsFile(paths().settings).settings.providers
    if not found:
        click.echo("no providers: `nearloop provider add NAME` adds one")
    for name, row in found.items():
        try:
            there = secrets.read(name, row.key, place_of(row.base_url, row.place).value)
            click.echo(f"{name}: {row.key}, {'needs none' if there is None else 'there'}")
        except NearloopError as error:
            click.echo(f"{name}: {row.key}, missing: {error}")
        if weak := secrets.caution(row.key):
            click.echo(f"    warning: {weak}")


@key.command()
@click.argument("provider")
def test(provider: str) -> None:
    """Ask PROVIDER for its models with its key: no request of yours is sent."""
    models = models_of(provider, configured(provider), "key test")
    click.echo(f"{provider} accepts its key: {len(models)} models")


@key.command()
@click.argument("provider")
def remove(provider: str) -> None:
    """Delete the key of PROVIDER from the keyring."""
    if not secrets.delete(provider):
        raise NotFound(f"the keyring has no key of {provider}")
    click.echo(f"the key of {provider} is deleted from the keyring")
