"""`nearloop key`: providers' keys in the operating system's keyring. It needs no daemon, and tells one that runs."""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime
from typing import Final

import click
import msgspec
from msgspec.structs import replace

from daemon import secrets
from daemon.cli.provider import configured, models_of
from daemon.cli.taking_in import tell_daemon_of_key
from daemon.cli.terminal import row as line
from daemon.client import Client, NotRunning
from daemon.errors import BadRequest, NearloopError, NotFound
from daemon.paths import paths
from daemon.settings import DAY_USD, KEY_LABEL, Provider, SettingsFile, Spent
from daemon.stored_keys import StoredKeys
from daemon.wire import KeyInfo
from providers.contract import Key
from providers.given_key import GivenKey

NONE: Final = "none"


@click.group()
def key() -> None:
    """Keep providers' keys in the keyring."""


class _Label(click.ParamType[str]):
    """What tells several keys of one provider apart."""

    name = "LABEL"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not KEY_LABEL.fullmatch(str(value)):
            self.fail("a label is 1 to 40 of a-z, 0-9, - and _", param, ctx)
        return str(value)


class _Usd(click.ParamType[float | None]):
    """An amount from 0 on; None: `none`."""

    name = "USD|none"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        if value is None or str(value).strip().lower() == NONE:
            return None
        try:
            usd = float(str(value).strip().removeprefix("$"))
        except ValueError:
            usd = -1.0
        if not 0 <= usd < float("inf"):
            self.fail("an amount in USD from 0 on, or none", param, ctx)
        return usd


_AS: Final = click.option("--as", "label", type=_Label(), help="Which of several keys; the first if left out.")


@key.command(name="set")
@click.argument("provider")
@_AS
@click.option("--limit", "limit", type=_Usd(), help="What it may cost a day, in USD.")
@click.option("--no-limit", is_flag=True, help="It may cost what it costs.")
def set_(provider: str, label: str | None, limit: float | None, no_limit: bool) -> None:
    """Store a key of PROVIDER: typed without being shown, or from standard input.

    For a cloud it asks what may be spent there a day.
    """
    if limit is not None and no_limit:
        raise BadRequest("--limit and --no-limit exclude each other")
    file = SettingsFile(paths().settings)
    row = _row(file, provider)
    if row is None and label is not None:
        raise NotFound(f"{provider} is not in the settings yet: `nearloop provider add {provider}` first")
    new = _typed()
    if row is not None:
        _limit(file, provider, row, limit, no_limit)
    secrets.set(provider, new, label)
    which = f" {label}" if label else ""
    click.echo(f"the key{which} of {provider} is in the keyring ({secrets.keyring_name()})")
    if row is None:
        click.echo(f"{provider} is not in the settings yet: `nearloop provider add {provider}`")
        return
    if label is not None:
        file.add_key(provider, f"keyring:{label}")
    elif row.key != "keyring":
        click.echo(f'But settings.toml says `key = "{row.key}"`: put `key = "keyring"` there to use this one.')
    tell_daemon_of_key(provider)


def _row(file: SettingsFile, provider: str) -> Provider | None:
    """What settings.toml has of it; None for a vendor that isn't in them yet. Raises NotFound."""
    from providers.vendors import VENDORS

    row = file.settings.providers.get(provider)
    if row is None and provider not in VENDORS:
        raise NotFound(f"there is no provider {provider}: `nearloop provider add` adds one, `provider list` shows them")
    return row


def _typed() -> Key:
    """A key that nobody sees. Raises NoKey."""
    if sys.stdin.isatty():
        return secrets.key_from(click.prompt("Key", hide_input=True))
    return secrets.key_from(sys.stdin.read(secrets.KEY_LIMIT_BYTES + 1))


def _limit(file: SettingsFile, provider: str, row: Provider, told: float | None, no_limit: bool) -> None:
    """What a cloud may cost a day, before its key is there: asked for unless that was said already, here or earlier."""
    from providers.places import place_of

    before = file.settings.spending.providers.get(provider, Spent())
    if told is None and not no_limit:
        if place_of(row.base_url, row.place) != "cloud":
            return
        if before.day_usd is not None or before.month_usd is not None:
            click.echo(f"{provider} may cost what the settings say: {_limits(before)}")
            return
        if sys.stdin.isatty():
            told = click.prompt("At most a day, in USD, or none", default=f"{DAY_USD:g}", type=_Usd())
        else:
            told = DAY_USD
            click.echo("Nothing was said of what it may cost (--limit USD, --no-limit), so it is the usual:")
    wanted = replace(before, day_usd=told)
    if wanted != before:
        file.limit_provider(provider, wanted)
    click.echo(f"{provider} may cost {_limits(wanted)} ([spending.providers.{provider}] in settings.toml)")


def _limits(spent: Spent) -> str:
    found = [
        f"at most ${usd:.12g} a {time}"
        for usd, time in ((spent.day_usd, "day"), (spent.month_usd, "month"))
        if usd is not None
    ]
    return " and ".join(found) or "what it costs, without a limit a day"


@key.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(as_json: bool) -> None:
    """Show where each provider's keys come from, whether they are there, and how they did. No key is shown."""
    from providers.places import place_of

    settings = SettingsFile(paths().settings).settings
    found = settings.providers
    told = _known_to_daemon()
    keys = {name: told.get(name) or asyncio.run(_looked_at(name, row)) for name, row in found.items()}
    spending = {name: settings.spending.providers.get(name, Spent()) for name in found}
    if as_json:
        shown = [
            {
                "provider": name,
                "place": place_of(row.base_url, row.place).value,
                "day_usd": spending[name].day_usd,
                "month_usd": spending[name].month_usd,
                "keys": keys[name],
            }
            for name, row in found.items()
        ]
        click.echo(msgspec.json.format(msgspec.json.encode({"providers": shown})).decode())
        return
    if not found:
        click.echo("no providers: `nearloop provider add NAME` adds one")
    for name, row in found.items():
        for each in keys[name]:
            line(f"{name}: {each.source}, {_standing(each)}")
            if each.caution:
                line(f"    warning: {each.caution}")
        if place_of(row.base_url, row.place) == "cloud":
            line(f"    {name} may cost {_limits(spending[name])}")


def _known_to_daemon() -> dict[str, tuple[KeyInfo, ...]]:
    """By provider, by whom they are used; nothing where no daemon runs."""
    try:
        with Client(paths()) as daemon:
            return {each.name: each.keys for each in daemon.providers().providers if not each.removed}
    except NotRunning:
        return {}
    except NearloopError as error:
        click.echo(f"The running daemon did not say how the keys did ({error})", err=True)
        return {}


async def _looked_at(name: str, row: Provider) -> tuple[KeyInfo, ...]:
    from providers.places import place_of

    return await StoredKeys(name, row.sources, place_of(row.base_url, row.place).value).info()


def _standing(info: KeyInfo) -> str:
    parts = ["needs none" if info.source == "none" else "there"]
    if info.trouble is not None:
        parts = [f"missing: {info.trouble}"]
    if info.used_at is not None:
        parts.append(f"last taken {_clock(info.used_at)}")
    if info.refused_at is not None:
        parts.append(f"last refused {_clock(info.refused_at)} ({info.refusal})")
    if info.out_s is not None:
        parts.append(f"others are tried first for {info.out_s:.0f} s")
    return ", ".join(parts)


def _clock(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S}"


@key.command()
@click.argument("provider")
def test(provider: str) -> None:
    """Ask PROVIDER for its models with each of its keys: no request of yours is sent."""
    from providers.places import place_of

    row = configured(provider)
    failed = []
    for source in row.sources:
        one = StoredKeys(provider, (source,), place_of(row.base_url, row.place).value)
        which = f" ({source})" if len(row.sources) > 1 else ""
        try:
            models = models_of(provider, row, "key test", one)
        except NearloopError as error:
            failed.append(f"{error}{which}")
            continue
        click.echo(f"{provider} accepts its key{which}: {len(models)} models")
    if failed:
        raise NearloopError("; ".join(failed))


@key.command()
@click.argument("provider")
@_AS
@click.option("--untested", is_flag=True, help="Don't ask the provider whether it takes the new one.")
def rotate(provider: str, label: str | None, untested: bool) -> None:
    """Put a new key of PROVIDER in the old one's place, once the provider has taken it.

    It is asked for its models with the new key; no request of yours is sent. Answers that are under way end undisturbed.
    """
    row = configured(provider)
    source = f"keyring:{label}" if label else "keyring"
    if source not in row.sources:
        others = ", ".join(row.sources)
        raise NotFound(f"{provider} has no key {source} in settings.toml ({others}): `nearloop key set` stores one")
    new = _typed()
    if not untested:
        try:
            models = models_of(provider, row, "key rotate", GivenKey(new))
        except NearloopError as error:
            raise NearloopError(f"the old key stays: {error}") from None
        click.echo(f"{provider} accepts the new key: {len(models)} models")
    secrets.set(provider, new, label)
    click.echo(f"the new key of {provider} is in the keyring; take the old one back at {provider}'s own page")
    tell_daemon_of_key(provider)


@key.command()
@click.argument("provider")
@_AS
def remove(provider: str, label: str | None) -> None:
    """Delete a key of PROVIDER from the keyring."""
    there = secrets.delete(provider, label)
    file = SettingsFile(paths().settings)
    row = file.settings.providers.get(provider)
    named = label is not None and row is not None and f"keyring:{label}" in row.keys
    if named:
        file.remove_key(provider, f"keyring:{label}")
    if not there and not named:
        raise NotFound(f"the keyring has no key{f' {label}' if label else ''} of {provider}")
    click.echo(f"the key{f' {label}' if label else ''} of {provider} is deleted from the keyring")
    if row is not None:
        tell_daemon_of_key(provider)
