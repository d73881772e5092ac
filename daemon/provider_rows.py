"""A new provider's row in the settings, made of what its user says of it."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from daemon.errors import BadRequest
from daemon.secrets import caution
from daemon.settings import CLIENT_NAME, RESERVED_PROVIDERS, Provider, Settings
from daemon.wire import KnownVendor, NewProvider

_PLACES: Final = {
    "device": "this machine: nothing leaves it",
    "lan": "another machine in your network",
    "cloud": "somebody else's: requests go there as the privacy policy lets them",
}


class Made(Struct, frozen=True):
    """A row, and what its user should know of it. key_variable: from which a known vendor's own client reads its key."""

    row: Provider
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    key_variable: str | None = None


def made(wanted: NewProvider, settings: Settings) -> Made:
    """Fill in what is known of it. Raises BadRequest with what is wrong; nothing is written."""
    from providers.places import place_of  # with the next one 0.1 s that settings without providers don't need
    from providers.registry import FAMILIES
    from providers.vendors import VENDORS

    name = wanted.name
    if not CLIENT_NAME.fullmatch(name) or name in RESERVED_PROVIDERS:
        reserved = ", ".join(sorted(RESERVED_PROVIDERS))
        raise BadRequest(f"a name is 1 to 40 of a-z, 0-9, - and _, and none of {reserved}", "name")
    vendor = VENDORS.get(name)
    base_url = wanted.base_url or (vendor.base_url if vendor else None)
    if base_url is None and vendor is not None:
        raise BadRequest(f"each {name} has an address of its own: it is needed (--url {vendor.like})", "base_url")
    if base_url is None:
        raise BadRequest(f"{name} is no known vendor ({', '.join(VENDORS)}): its address is needed (--url)", "base_url")
    wire = wanted.wire or (vendor.wire if vendor else "openai-chat")
    if wire not in FAMILIES:
        raise BadRequest(f"--wire is one of {', '.join(FAMILIES)}", "wire")
    if name in settings.providers:
        raise BadRequest(f"there is a provider {name} already: `nearloop provider remove {name}` first", "name")
    if not all(model.strip() and model.isprintable() for model in wanted.models):
        raise BadRequest("a model's name is not empty, and has no control characters", "models")
    here = wanted.base_url is None and vendor is not None and vendor.key_variable is None
    place = wanted.place
    if here and place is None:
        place = "device"  # a server for local models, at its own port: naming it is the confirmation
    try:
        where = place_of(base_url, place)
    except ValueError as error:
        raise BadRequest(str(error), "base_url") from error
    key = wanted.key or ("none" if where == "device" else "keyring")
    row: dict[str, object] = {"base_url": base_url, "wire": wire, "models": wanted.models, "key": key, "place": place}
    row["accepts"] = vendor.accepts if vendor and base_url == vendor.base_url else ()
    notes = [f"{name}: {base_url}, which counts as {_PLACES[where]}"]
    if here:
        notes.append(
            f"If that port leads to another machine, add it again with the place `cloud`: {name} would be sent anything."
        )
    elif where == "cloud" and place is None and _is_loopback(base_url):
        notes.append("It counts as cloud until you confirm that it runs here: add it again with the place `device`.")
    if vendor is not None and not vendor.tested and base_url == vendor.base_url:
        notes.append(f"It is untested: {name} is known from its documentation alone, and was never asked itself.")
    warnings = []
    if where == "cloud" and base_url.startswith("http://") and not _is_loopback(base_url):
        warnings.append("without https:// anybody on the way reads the key and every word")
    if where == "cloud" and (limited := _without_price(name, wanted.models, settings)):
        warnings.append(limited)
    if weak := caution(key):
        warnings.append(weak)
    return Made(_provider(row), tuple(notes), tuple(warnings), vendor.key_variable if vendor else None)


def _without_price(name: str, models: tuple[str, ...], settings: Settings) -> str | None:
    """Which of its models a limit of [spending] leaves out, since nobody knows what they cost."""
    from providers.prices import price

    known = settings.prices
    unknown = [model for model in models if not (price(model) or known.get(f"{name}/{model}") or known.get(model))]
    if not unknown:
        return None
    return (
        f"nobody knows what {', '.join(unknown)} cost: under a limit of what may be spent they are not asked, unless "
        f'[prices."{name}/{unknown[0]}"] names it'
    )


def _provider(row: dict[str, object]) -> Provider:
    try:
        return msgspec.convert(row, Provider)
    except msgspec.ValidationError as error:
        raise BadRequest("--key is keyring, env:NAME, credential:NAME, file:PATH or none", "key") from error


def _is_loopback(base_url: str) -> bool:
    from providers.places import Address, address_of, url_of

    return address_of(url_of(base_url).host or "") is Address.LOOPBACK


def require_unnamed(name: str, settings: Settings) -> None:
    """Before it is taken out of the settings. Raises BadRequest if something else there names it."""
    if projects := [each for each, project in settings.projects.items() if name in project.providers]:
        tables = " and ".join(f"[projects.{each}.providers.{name}]" for each in projects)
        raise BadRequest(f"the settings say what {name} may see, in {tables}: take that out first", "name")


def known_vendors() -> tuple[KnownVendor, ...]:
    """Those that are known by name."""
    from providers.vendors import VENDORS, place_of_vendor

    return tuple(
        KnownVendor(
            name,
            each.base_url or each.like,
            each.key_variable is not None or each.base_url is None,
            each.wire,
            str(place_of_vendor(each)),
            each.tested,
            each.base_url is None,
        )
        for name, each in VENDORS.items()
    )
