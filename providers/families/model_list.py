"""Lists of models as servers give them that follow OpenAI, with the ways in which they differ; no I/O.

OpenAI's is `{"data": [{"id"}]}`. Together and GitHub send the list alone, others put it under `models`, name a model by
`name`, `model` or `slug`, or give bare strings; and some tell pages with `has_more`.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from yarl import URL

from providers.contract import BadAnswer
from providers.families.base import Listed

_LISTS: Final = ("data", "models")
_NAMES: Final = ("id", "name", "model", "slug")
_decode: Final = msgspec.json.Decoder().decode


def listed(body: bytes, provider: str, path: str = "models") -> Listed:
    """A page of it. path: of the first one. Raises BadAnswer if it is none."""
    try:
        value: Any = _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _foreign(provider) from error
    page = value if isinstance(value, dict) else {}
    found = value if isinstance(value, list) else next((page[name] for name in _LISTS if name in page), None)
    if found is None and "data" not in page and page.get("object") != "list":
        raise _foreign(provider)
    if found is not None and not isinstance(found, list):
        raise _foreign(provider)
    names = tuple(dict.fromkeys(name for each in found or () if (name := _name(each)) is not None))
    if found and not names:
        raise _foreign(provider)
    last = page.get("last_id") or (names[-1] if names else None)
    if page.get("has_more") is True and isinstance(last, str):
        return Listed(names, str(URL(path).with_query(after=last)))
    return Listed(names)


def _name(model: Any) -> str | None:
    if isinstance(model, dict):
        model = next((model[name] for name in _NAMES if isinstance(model.get(name), str)), None)
    return model if isinstance(model, str) and model.strip() and model.isprintable() else None


def _foreign(provider: str) -> BadAnswer:
    return BadAnswer(f"{provider} answered something that isn't a list of models: check base_url")
