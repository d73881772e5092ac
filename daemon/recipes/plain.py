"""Typed parts as plain values, for writers: what is the default is left out."""

from __future__ import annotations

from typing import Any

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields


def plain(value: Any) -> Any:
    """Of a part, or of any value in one.

    msgspec's own omit_defaults goes by identity, so a file that spells a default out would be written differently.
    """
    if isinstance(value, Struct):
        made = {}
        for field in fields(value):
            inner = getattr(value, field.name)
            default = field.default_factory() if field.default_factory is not NODEFAULT else field.default
            if inner is not None and (default is NODEFAULT or inner != default):
                made[field.encode_name] = plain(inner)
        return made
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value
