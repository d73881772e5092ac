"""Every text of a request, in one walk that both reads and rewrites.

What is looked at and what is masked must be the same set, so there is one traversal. A field is `fixed` if its text can't be
changed without changing what the request means to a program: names of models and tools, keys of JSON objects. Such fields
are looked at, and what is found in them can't be masked. Tool-call arguments are JSON in a string: they are walked as JSON,
so that an escaped value is seen as the value that it is; arguments that aren't JSON, or in which a name stands twice, are
one text. Ids of calls are texts too: a change makes the same of the same. Words in pictures and documents are fixed as well:
another text doesn't change pixels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from providers.contract import (
    File,
    Image,
    Message,
    Part,
    Request,
    Sampling,
    Sight,
    Text,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
)

_SIGHT: Final = ".sight"
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
Change = Callable[[str, str], str]
"""From (path, text) to the text that shall stand there."""


class Field(Struct, frozen=True):
    """One text. path: where it stands, for example `messages[2].parts[0]`."""

    path: str
    text: str
    fixed: bool = False


def fields(request: Request) -> tuple[Field, ...]:
    """All texts of a request that are not empty, in order."""
    found: list[Field] = []

    def collect(path: str, text: str) -> str:
        if text:
            found.append(Field(path, text))
        return text

    def collect_fixed(path: str, text: str) -> None:
        if text:
            found.append(Field(path, text, fixed=True))

    _Walk(collect, collect_fixed).request(request)
    return tuple(found)


def rewritten(request: Request, change: Change) -> Request:
    """The request with every text that is not fixed replaced by what `change` makes of it."""
    return _Walk(change, lambda path, text: None).request(request)


class Carried(NamedTuple):
    """A picture or a file in a request. path: where it stands, as a field's."""

    path: str
    part: Image | File


def carried(request: Request) -> tuple[Carried, ...]:
    """All pictures and files of a request, in order, those in tools' results too."""
    found: list[Carried] = []
    for place, message in enumerate(request.messages):
        for index, part in enumerate(message.parts):
            path = f"messages[{place}].parts[{index}]"
            if isinstance(part, Image | File):
                found.append(Carried(path, part))
            elif isinstance(part, ToolResult):
                found += [
                    Carried(f"{path}.{n}", inner) for n, inner in enumerate(part.parts) if isinstance(inner, Image)
                ]
    return tuple(found)


def with_carried(request: Request, instead: Mapping[str, Image | File]) -> Request:
    """The request with other pictures and files. instead: by the path of those whose place they take."""

    def image(path: str, part: Image) -> Image:
        other = instead.get(path, part)
        return other if isinstance(other, Image) else part

    def changed(path: str, part: Part) -> Part:
        match part:
            case Image() | File():
                return instead.get(path, part)
            case ToolResult(parts=parts):
                inside = (
                    image(f"{path}.{n}", each) if isinstance(each, Image) else each for n, each in enumerate(parts)
                )
                return replace(part, parts=tuple(inside))
            case _:
                return part

    if not instead:
        return request
    messages = tuple(
        Message(message.role, tuple(changed(f"messages[{n}].parts[{m}]", part) for m, part in enumerate(message.parts)))
        for n, message in enumerate(request.messages)
    )
    return replace(request, messages=messages)


def sight_path(path: str) -> str:
    """Where the words stand that were seen in a picture or a file."""
    return f"{path}{_SIGHT}"


def seen_in(path: str) -> str | None:
    """The path of the picture or file in which a field's words were seen; None if it is no such field."""
    return path.removesuffix(_SIGHT) if path.endswith(_SIGHT) and "/" not in path else None


class _Walk:
    """change: for texts. look: for fixed ones."""

    def __init__(self, change: Change, look: Callable[[str, str], None]) -> None:
        self._change = change
        self._look = look

    def request(self, request: Request) -> Request:
        if (
            "/" in request.model
        ):  # PROVIDER/MODEL, of which the second half is what the client likes; no other name leaves
            self._look("model", request.model)
        return replace(
            request,
            messages=tuple(self._message(message, f"messages[{n}]") for n, message in enumerate(request.messages)),
            tools=tuple(self._tool(tool, f"tools[{n}]") for n, tool in enumerate(request.tools)),
            schema=self._json(request.schema, "schema"),
            extras=self._json(request.extras, "extras"),
            sampling=self._sampling(request.sampling),
        )

    def _message(self, message: Message, path: str) -> Message:
        parts = tuple(self._part(part, f"{path}.parts[{n}]") for n, part in enumerate(message.parts))
        return Message(message.role, parts)

    def _part(self, part: Part, path: str) -> Part:
        match part:
            case Text(text=text, keep=keep):
                return Text(self._change(path, text), keep)
            case Thought(text=text):  # a changed word breaks its signature: see boundary.signed
                return replace(part, text=self._change(path, text))
            case ToolCall(id=id, name=name, arguments=arguments):
                self._look(f"{path}.name", name)
                changed = self._arguments(arguments, f"{path}.arguments")
                return replace(part, id=self._change(f"ids.{path}", id), arguments=changed)
            case ToolResult(call_id=id, parts=parts):
                inside = tuple(self._inner(inner, f"{path}.{n}") for n, inner in enumerate(parts))
                return replace(part, call_id=self._change(f"ids.{path}", id), parts=inside)
            case Image():
                return self._picture(part, path)
            case File(url=url, name=name, sight=sight):
                self._seen(sight, path)
                named = self._change(f"{path}.name", name) if name else name
                return replace(part, url=self._url(url, path), name=named)

    def _inner(self, part: Text | Image, path: str) -> Text | Image:
        if isinstance(part, Text):
            return Text(self._change(path, part.text), part.keep)
        return self._picture(part, path)

    def _picture(self, part: Image, path: str) -> Image:
        self._seen(part.sight, path)
        return replace(part, url=self._url(part.url, path))

    def _seen(self, sight: Sight | None, path: str) -> None:
        if sight is not None:
            self._look(sight_path(path), sight.text)

    def _url(self, url: str, path: str) -> str:
        return url if url.startswith("data:") else self._change(path, url)

    def _arguments(self, text: str, path: str) -> str:
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            return self._change(path, text)
        if _says_twice(text, value):
            return self._change(path, text)
        changed = self._json(value, path)
        return text if changed == value else msgspec.json.encode(changed).decode()

    def _tool(self, tool: Tool, path: str) -> Tool:
        self._look(f"{path}.name", tool.name)
        description = self._change(f"{path}.description", tool.description)
        parameters = self._json(tool.parameters, f"{path}.parameters")
        return Tool(tool.name, description, parameters, tool.strict, keep=tool.keep)

    def _sampling(self, sampling: Sampling) -> Sampling:
        if not sampling.stop:
            return sampling
        return replace(sampling, stop=tuple(self._change(f"stop[{n}]", text) for n, text in enumerate(sampling.stop)))

    def _json(self, value: Any, path: str) -> Any:
        match value:
            case str():
                return self._change(path, value)
            case dict():
                for key in value:
                    self._look(f"{path}/{_pointer(key)}#", key)
                return {key: self._json(inner, f"{path}/{_pointer(key)}") for key, inner in value.items()}
            case list():
                return [self._json(inner, f"{path}/{n}") for n, inner in enumerate(value)]
            case _:
                return value


def _says_twice(text: str, value: Any) -> bool:
    """Whether a JSON text holds more strings than its value: the last of two members of one name is all that a value has."""
    return len(_STRING.findall(text)) != len(_STRING.findall(msgspec.json.encode(value).decode()))


def _pointer(key: str) -> str:
    """A key as RFC 6901 writes it, so that no two places of a JSON value have the same path."""
    return key.replace("~", "~0").replace("/", "~1")
