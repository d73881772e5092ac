"""Anthropic's turns and content blocks as messages and parts.

A user's turn with results of tools becomes a message for each of them and one for the rest, since that is how models and
other vendors take them. What has no place in the neutral model is refused by name, or noted in `aside` if the answer does
not hang on it.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from msgspec.structs import replace

from daemon.errors import BadRequest
from providers.contract import File, Image, KeepFor, Message, Part, Text, Thought, ToolCall, ToolResult
from providers.wire import anthropic as wire

_PICTURE: Final = re.compile(r"image/[a-z0-9.+-]{1,40}")
_WEB: Final = re.compile(r"https?://")
_encode: Final = msgspec.json.Encoder().encode


class Blocks:
    """One request's. aside: Anthropic's names of what is left aside, in order."""

    def __init__(self) -> None:
        self.aside: dict[str, None] = {}

    def messages(self, system: str | tuple[wire.TextBlock, ...] | None, turns: tuple[wire.Turn, ...]) -> list[Message]:
        """The conversation. Raises BadRequest."""
        said = self._texts(system or ())
        found = [Message("system", said)] if said else []
        for place, turn in enumerate(turns):
            found += self._turn(turn, f"messages[{place}]")
        if turns[-1].role == "assistant":
            raise BadRequest(
                "messages: the last one is the assistant's, and an answer that continues it (prefill) can't be promised"
                " here: end with a user's message, or hold the answer to a schema with output_config",
                "messages",
            )
        return found

    def note(self, name: str, value: object) -> None:
        """Something is left aside, if it is there."""
        if value:
            self.aside[name] = None

    # -- turns

    def _turn(self, turn: wire.Turn, where: str) -> list[Message]:
        if isinstance(turn.content, str):
            blocks: tuple[wire.Block, ...] = (wire.TextBlock(turn.content),) if turn.content else ()
        else:
            blocks = turn.content
        match turn.role:
            case "assistant":
                return [Message("assistant", self._assistants(blocks, where))]
            case "system":
                if not all(isinstance(block, wire.TextBlock) for block in blocks):
                    raise BadRequest(f"{where}.content: a system turn is text", f"{where}.content")
                return [Message("system", self._users(blocks, where))]
            case _:
                return self._user(blocks, where)

    def _user(self, blocks: tuple[wire.Block, ...], where: str) -> list[Message]:
        if not blocks:
            raise BadRequest(f"{where}.content is empty", f"{where}.content")
        results = [(n, block) for n, block in enumerate(blocks) if isinstance(block, wire.ToolResultBlock)]
        found = [Message("tool", (self._result(block, f"{where}.content[{n}]"),)) for n, block in results]
        rest = self._users(blocks, where)
        return [*found, Message("user", rest)] if rest else found

    def _users(self, blocks: tuple[wire.Block, ...], where: str) -> tuple[Part, ...]:
        """All but the results of tools."""
        parts: list[Part] = []
        for place, block in enumerate(blocks):
            at = f"{where}.content[{place}]"
            match block:
                case wire.ToolResultBlock():
                    pass
                case wire.TextBlock() | wire.ImageBlock() | wire.DocumentBlock() | wire.SearchResultBlock():
                    parts += self._content(block, at)
                case _:
                    raise BadRequest(f"{at}: thinking and tool_use are an assistant's, not a user's", at)
        return tuple(parts)

    def _assistants(self, blocks: tuple[wire.Block, ...], where: str) -> tuple[Part, ...]:
        parts: list[Part] = []
        for place, block in enumerate(blocks):
            at = f"{where}.content[{place}]"
            match block:
                case wire.TextBlock():
                    parts += self._content(block, at)
                case wire.ThinkingBlock(thinking=text, signature=signature):
                    parts.append(Thought(text, signature or None))
                case wire.RedactedBlock(data=data):
                    parts.append(Thought("", data, redacted=True))
                case wire.ToolUseBlock(id=id, name=name, input=given):
                    self.note("toolset_name", block.toolset_name)
                    parts.append(ToolCall(id, name, _encode(given).decode(), keep=keep_for(block.cache_control)))
                case _:
                    raise BadRequest(f"{at}: an assistant's turn is text, thinking and tool_use", at)
        return tuple(parts)

    # -- blocks

    def _result(self, block: wire.ToolResultBlock, where: str) -> ToolResult:
        self.note("toolset_name", block.toolset_name)
        failed, keep = block.is_error is True, keep_for(block.cache_control)
        if block.content is None or isinstance(block.content, str):
            return ToolResult(block.tool_use_id, (Text(block.content),) if block.content else (), failed, keep)
        parts: list[Text | Image] = []
        for place, inner in enumerate(block.content):
            at = f"{where}.content[{place}]"
            for part in self._content(inner, at):
                if isinstance(part, File):
                    raise BadRequest(f"{at}: a tool's result is text or images: send the document beside it", at)
                parts.append(part)
        return ToolResult(block.tool_use_id, tuple(parts), failed, keep)

    def _content(self, block: wire.ResultBlock, where: str) -> list[Text | Image | File]:
        parts = self._parts(block, where)
        if parts and (keep := keep_for(block.cache_control)) is not None:
            parts[-1] = replace(parts[-1], keep=keep)
        return parts

    def _parts(self, block: wire.ResultBlock, where: str) -> list[Text | Image | File]:
        match block:
            case wire.TextBlock(text=text, citations=citations):
                self.note("citations", citations)
                return [Text(text)]
            case wire.ImageBlock(source=source):
                self.note("transformations", block.transformations)
                return [_image(source, where)]
            case wire.SearchResultBlock(title=title, source=source, content=content, citations=citations):
                self.note("citations", citations and citations.enabled)
                return [Text("\n".join((title, source, *(inner.text for inner in content))))]
            case wire.DocumentBlock():
                self.note("citations", block.citations and block.citations.enabled)
                return self._document(block, where)

    def _document(self, block: wire.DocumentBlock, where: str) -> list[Text | Image | File]:
        source = block.source
        about = [Text(text) for text in (block.title, block.context) if text]
        match source.type:
            case "text":
                return [Text("\n".join((*(each.text for each in about), source.data)))]
            case "content":
                if isinstance(source.content, str):
                    return [*about, Text(source.content)]
                inner = [part for each in source.content for part in self._content(each, f"{where}.source.content")]
                return [*about, *inner]
            case "base64":
                if source.media_type != "application/pdf":
                    raise BadRequest(f"{where}.source.media_type: a document is application/pdf", f"{where}.source")
                context = [Text(block.context)] if block.context else []
                return [*context, File(f"data:application/pdf;base64,{source.data}", block.title or "document.pdf")]
            case "url" if _WEB.match(source.url):
                return [File(source.url, block.title)]
            case _:
                raise _no_source(where)

    def _texts(self, system: str | tuple[wire.TextBlock, ...]) -> tuple[Part, ...]:
        if isinstance(system, str):
            return (Text(system),) if system else ()
        return tuple(part for place, block in enumerate(system) for part in self._content(block, f"system[{place}]"))


def keep_for(cache_control: object) -> KeepFor | None:
    """What a block's mark asks for; anything that isn't one of Anthropic's asks for nothing."""
    match cache_control:
        case {"type": "ephemeral", "ttl": "1h"}:
            return "1h"
        case {"type": "ephemeral"}:
            return "5m"
        case _:
            return None


def _image(source: wire.Source, where: str) -> Image:
    match source.type:
        case "base64":
            if not _PICTURE.fullmatch(source.media_type):
                raise BadRequest(f"{where}.source.media_type: an image is image/png or the like", f"{where}.source")
            return Image(f"data:{source.media_type};base64,{source.data}")
        case "url" if _WEB.match(source.url):
            return Image(source.url)
        case _:
            raise _no_source(where)


def _no_source(where: str) -> BadRequest:
    return BadRequest(
        f"{where}.source: send the data itself, or an http address; ids of Anthropic's Files API mean nothing to others",
        f"{where}.source",
    )
