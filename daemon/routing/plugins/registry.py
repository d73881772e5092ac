"""The plugins that are here, in the order in which they work; a recipe's own order doesn't count, as upstream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.recipes import plugins as recipes
from daemon.routing.plugins.base import Changed, Plugin
from daemon.routing.plugins.fast_response import fast_response
from daemon.routing.plugins.header_mutation import header_mutation
from daemon.routing.plugins.request_params import request_params
from daemon.routing.plugins.system_prompt import system_prompt
from daemon.routing.plugins.tools import tools
from providers.contract import Request

PLUGINS: Final[dict[str, Plugin]] = {
    "fast_response": fast_response,
    "request_params": request_params,
    "tools": tools,
    "system_prompt": system_prompt,
    "header_mutation": header_mutation,
}


def apply(request: Request, wanted: Iterable[recipes.Plugin]) -> tuple[Changed, tuple[str, ...]]:
    """The request after all of a decision's plugins, and the names of those that worked."""
    by_type = {each.type: each.configuration for each in wanted if is_on(each)}
    aside: list[str] = []
    done: list[str] = []
    for name, plugin in PLUGINS.items():
        if name not in by_type:
            continue
        changed = plugin(request, by_type[name])
        request = changed.request
        aside += changed.aside
        done.append(name)
        if changed.message is not None:
            return Changed(request, (), changed.message), tuple(done)
    return Changed(request, tuple(dict.fromkeys(aside))), tuple(done)


def is_on(plugin: recipes.Plugin) -> bool:
    """Whether it is configured, and not switched off."""
    return plugin.configuration is not None and getattr(plugin.configuration, "enabled", None) is not False
