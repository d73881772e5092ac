"""Azure's deployments by key: Chat Completions under another header, for a model that its owner gave a name.

Two addresses lead there, and the path behind them is the same: `https://NAME.openai.azure.com/openai/v1`, which wants no
version, and `…/openai/deployments/DEPLOYMENT`, which wants one as a query (the row's `api_version`).
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from providers.contract import BadAnswer
from providers.families.base import Listed
from providers.families.openai_chat import OpenAIChat
from providers.target import Target


class Azure(OpenAIChat):
    """Without state. What its filter says stands beside the words and isn't read: why an answer ended is."""

    def __init__(self) -> None:
        super().__init__("api-key")

    def models(self, body: bytes, target: Target) -> Listed:
        """Those of the resource that chat, which are not its deployments: those have no list for keys. Raises BadAnswer."""
        try:
            listed = _decode_models(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadAnswer(f"{target.name} answered something that isn't a list of models: check base_url") from error
        return Listed(tuple(model.id for model in listed.data or () if model.capabilities.chat_completion is not False))


class _Capabilities(Struct, frozen=True):
    chat_completion: bool | None = None


class _Model(Struct, frozen=True):
    id: str
    capabilities: _Capabilities = _Capabilities()


class _Models(Struct, frozen=True):
    data: list[_Model] | None = None


_decode_models: Final = msgspec.json.Decoder(_Models).decode
