"""A model file's chat template, rendered in Jinja's immutable sandbox as llama-cpp-python sets it up.

llama.cpp's own `llama_chat_apply_template` was the other choice: it knows some fifty templates by their looks, runs none,
and has no place for tools.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from edge_models.engines.base import BadPrompt, Chat
from edge_models.llama.library import chat_formats
from edge_models.messages import messages, tools

# what templates raise besides Jinja's own errors: they are programs over dictionaries
_FAILURES: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


class Template:
    """One template. begin, end: the texts of the tokens that it may write."""

    def __init__(self, source: str, begin: str, end: str) -> None:
        self._source = source
        self._begin = begin
        self._end = end
        self._formatter: Any = None

    def render(self, chat: Chat) -> str:
        """The chat as one text that ends where the assistant begins. Raises BadPrompt, without the user's words."""
        if not self._source:
            raise BadPrompt("the model's files hold no chat template: ask it for a completion instead of a chat")
        failures = (import_module("jinja2").TemplateError, *_FAILURES)
        try:
            if self._formatter is None:
                self._formatter = chat_formats().Jinja2ChatFormatter(self._source, self._end, self._begin)
            return str(self._formatter(messages=messages(chat), tools=tools(chat) or None).prompt)
        except failures:  # from None: what a template raises can quote the conversation
            raise BadPrompt("the model's chat template can't express this conversation") from None
