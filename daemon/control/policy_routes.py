"""The control API's policy: what is done with which class of finds, for everybody and where it is another thing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, Literal, get_args

from litestar import Request as HttpRequest
from litestar import get
from litestar.types import ControllerRouterHandler

from daemon.boundary.policy import OF_PICTURES, PICTURE, Policies, Standing
from daemon.callers import Callers, bearer, require
from daemon.settings import Kind, SettingsFile
from daemon.wire import PolicyInForce, Treated

_PERSONAL: Final = "pii"
"""The signal of each class that isn't itself a signal, nor of pictures."""
_KINDS: Final[tuple[str, ...]] = get_args(Kind)
Http = HttpRequest[Any, Any, Any]


def policy_routes(policies: Policies, file: SettingsFile, callers: Callers) -> list[ControllerRouterHandler]:
    """/nearloop/v1/privacy/policy."""

    @get("/nearloop/v1/privacy/policy")
    async def shown(request: Http) -> PolicyInForce:
        require(callers.identify(bearer(request.headers)), "admin")
        settings = file.settings
        return PolicyInForce(
            privacy=policies.everybodys.privacy,
            classes=_everybodys(policies),
            ask_s=settings.policy.ask_s,
            sinks=settings.policy.sinks,
            providers=_others(settings.providers, lambda name: policies.standing(None, None, name), policies),
            projects=_others(policies.projects, lambda name: policies.standing(name, None), policies),
        )

    return [shown]


def _signal(kind: str) -> str:
    return PICTURE if kind in OF_PICTURES else _PERSONAL if kind.isupper() else kind


def _everybodys(policies: Policies) -> tuple[Treated, ...]:
    named = policies.everybodys.classes
    return tuple(Treated(kind, policies.everybodys.treatment(_signal(kind), kind), _by(kind, named)) for kind in _KINDS)


def _by(kind: str, named: Collection[str]) -> Literal["class", "signal", "preset"]:
    if kind in named and _signal(kind) != kind:
        return "class"
    return "signal" if _signal(kind) in named else "preset"


def _others(
    names: Iterable[str], standing: Callable[[str], Standing], policies: Policies
) -> dict[str, tuple[Treated, ...]]:
    """Of each that has rules, the classes with which something else is done."""
    found = {}
    for name in names:
        theirs = standing(name)
        rules = theirs.client if theirs.client.classes or theirs.client.privacy else theirs.provider
        different = tuple(
            Treated(kind, theirs.treatment(_signal(kind), kind), _by(kind, rules.classes))
            for kind in _KINDS
            if theirs.treatment(_signal(kind), kind) != policies.everybodys.treatment(_signal(kind), kind)
        )
        if different:
            found[name] = different
    return found
