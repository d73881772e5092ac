"""Where a prompt of Anthropic's is to be cut for its cache: the client's own marks, or else some of ours; no I/O.

Theory of operation. A prompt is tools, the system's words and the turns, and a mark on a block says that all before it, and
itself, shall stay in the cache. A later prompt is looked up by what was marked before, 20 blocks back at most. So the tools'
end and the system's end are marked, which other conversations share, and the last two turns of the user: the last one is
written for the next question, and at the one before stands what the question before wrote. Marks are no part of what is
compared: a mark that moves on changes no prefix. Writing costs a quarter more than reading, and what was written is read for
a tenth, so a prompt too short to be kept is left alone, and so is one in which the client set marks of its own.
"""

from __future__ import annotations

from typing import Any, Final

MOST: Final = 4
"""Anthropic refuses more."""
LEAST_CHARS: Final = 4096
"""About 1,024 tokens, what most of its models keep at least; some keep 512 or 4,096, and pass over what is shorter."""
_PICTURE_CHARS: Final = 4096
"""What a picture or a document counts for, whatever its size: more than a thousand tokens."""
_UNMARKED: Final = frozenset({"thinking", "redacted_thinking"})
MARK: Final = {"type": "ephemeral"}

Block = dict[str, Any]


def place(tools: list[Block], system: list[Block], turns: list[Block]) -> None:
    """Mark what shall be kept, in place. Nothing is marked before what is long enough to be kept."""
    length = sum(map(_chars, tools))
    if tools and length >= LEAST_CHARS:
        tools[-1]["cache_control"] = MARK
    length += sum(map(_chars, system))
    if system and length >= LEAST_CHARS:
        system[-1]["cache_control"] = MARK
    users: list[tuple[int, Block]] = []
    for turn in turns:
        length += sum(map(_chars, turn["content"]))
        if turn["role"] == "user" and turn["content"]:
            users.append((length, turn["content"][-1]))
    for so_far, block in users[-2:]:
        if so_far >= LEAST_CHARS:
            block["cache_control"] = MARK


def within_limit(tools: list[Block], system: list[Block], turns: list[Block], taken: int) -> None:
    """Take the first of too many marks away: they hold least. taken: marks beside these, such as the question's own."""
    blocks = [*tools, *system, *(block for turn in turns for block in turn["content"])]
    inside = [[*_inner(block), block] for block in blocks]
    marked = [block for group in inside for block in group if "cache_control" in block]
    for block in marked[: max(len(marked) + taken - MOST, 0)]:
        del block["cache_control"]


def _inner(block: Block) -> list[Block]:
    content = block.get("content")
    return content if block.get("type") == "tool_result" and isinstance(content, list) else []


def _chars(block: Block) -> int:
    """About how long a block is. A tool's schema counts by its description and its names, times what they take there."""
    match block:
        case {"text": str(text)} | {"thinking": str(text)}:
            return len(text)
        case {"type": "image" | "document"}:
            return _PICTURE_CHARS
        case {"type": "tool_result", "content": str(text)}:
            return len(text)
        case {"type": "tool_result"}:
            return sum(map(_chars, _inner(block)))
        case {"type": "tool_use", "input": given}:
            return len(bytes(given))
        case {"input_schema": schema}:
            return len(block.get("description", "")) + len(str(schema))
        case _:
            return 0
