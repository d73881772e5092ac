"""`header_mutation`: headers of the recipe's on the way to a provider.

A client's headers are never passed on, so there are none to delete but the recipe's own. A recipe may come from anywhere, so
it can't say who we are, where a request goes, or how it is framed.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from daemon.recipes.plugins import HeaderMutation
from daemon.routing.plugins.base import Changed
from providers.contract import Request

_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE: Final = re.compile(r"[\x20-\x7e\t]{0,1000}")
_OURS: Final = frozenset(
    {
        *(
            "authorization",
            "proxy-authorization",
            "x-api-key",
            "api-key",
            "x-goog-api-key",
            "cookie",
            "host",
            "forwarded",
        ),
        *("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect", "via"),
        *("content-length", "content-type", "content-encoding", "accept", "accept-encoding", "user-agent"),
    }
)


def header_mutation(request: Request, options: HeaderMutation) -> Changed:
    """Adds, then replaces, then deletes."""
    headers = dict(request.headers)
    for each in (*options.add, *options.update):
        name = each.name.lower()
        if is_allowed(name) and _VALUE.fullmatch(each.value):
            headers[name] = each.value
    for name in options.delete:
        headers.pop(name.lower(), None)
    return Changed(replace(request, headers=tuple(headers.items())))


def is_allowed(name: str) -> bool:
    """Whether a recipe may set it. name: in small letters."""
    return name not in _OURS and not name.startswith(("proxy-", "sec-")) and _NAME.fullmatch(name) is not None
