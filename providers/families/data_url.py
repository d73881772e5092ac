"""Pictures and documents that a `data:` address carries whole, as protocols want them that have no addresses."""

from __future__ import annotations

import base64
from typing import Final

from msgspec import Struct

from providers.percent import decoded

_ANY: Final = "application/octet-stream"


class Data(Struct, frozen=True):
    """kind: its media type. base64: of its bytes."""

    kind: str
    base64: str


def data_of(url: str) -> Data | None:
    """What it carries; None: it is another address."""
    if not url.startswith("data:"):
        return None
    head, _, body = url[5:].partition(",")
    kind, *parameters = [each.strip() for each in head.split(";")]
    if not parameters or parameters[-1].lower() != "base64":
        body = base64.b64encode(decoded(body)).decode()
    return Data(kind.lower() or _ANY, body)
