"""What a coding agent sends: a long system prompt, twenty tools, and a conversation of calls and files, of any length.

All of it is made from a seed, so that no two are alike behind the system prompt and the tools, which are the same each time,
as an agent's are.
"""

from __future__ import annotations

import json
import random
from typing import Any, Final

from daemon.signals.context import estimate

_TOOLS: Final = (
    ("read_file", "Read a file of the working tree, whole or from a line on", ("path", "offset", "limit")),
    ("write_file", "Write a file, in the place of what is there", ("path", "content")),
    ("edit_file", "Replace a text that stands once in a file", ("path", "old_text", "new_text")),
    ("multi_edit", "Replace several texts of one file in one go", ("path", "edits")),
    ("apply_patch", "Apply a unified diff to the working tree", ("patch",)),
    ("delete_file", "Remove a file", ("path",)),
    ("move_file", "Rename a file", ("source", "target")),
    ("list_folder", "List a folder, with sizes", ("path", "depth")),
    ("find_files", "Find files whose path fits a pattern", ("pattern", "path")),
    ("search_text", "Search all files for a regular expression", ("pattern", "path", "include", "context")),
    ("run_command", "Run a command in a shell and wait for its end", ("command", "timeout_ms", "workdir")),
    ("start_command", "Start a command that goes on in the background", ("command", "workdir")),
    ("read_output", "Read what a background command has printed since", ("id", "filter")),
    ("stop_command", "End a background command", ("id",)),
    ("fetch_page", "Fetch a page and tell what it says of a question", ("url", "question")),
    ("search_web", "Search the web", ("query", "domains")),
    ("write_plan", "Write down the steps of the work, and how far each is", ("steps",)),
    ("ask_user", "Ask the user a question with a few answers to choose from", ("question", "choices")),
    ("start_agent", "Have another agent do a part of the work", ("task", "kind")),
    ("edit_notebook", "Replace a cell of a notebook", ("path", "cell", "source")),
)
_RULES: Final = (
    "Read a file before it is edited, and keep its indentation as it is.",
    "Prefer small edits to whole files, and say in one sentence what was changed and why.",
    "Never commit, push or publish anything unless the user has asked for it in this conversation.",
    "When a command fails, read its output before anything else is tried, and do not repeat it unchanged.",
    "Follow the conventions of the files around: names, imports, line length and the way errors are raised.",
    "Do not add comments that repeat what the code says, and do not leave code behind that nobody calls.",
    "Run the tests that cover what was changed, and tell plainly when one of them could not be run.",
)
_BEFORE: Final = 6200
"""Tokens of the system prompt and the tools, about."""
_NOUNS: Final = (
    "queue",
    "ledger",
    "parser",
    "window",
    "record",
    "cursor",
    "bucket",
    "frame",
    "signal",
    "batch",
    "route",
)
_VERBS: Final = ("take", "fold", "split", "merge", "count", "drop", "load", "write", "close", "match", "order", "trim")


def agent_body(
    tokens: int, seed: int, last: str = "Now make the change in the file that was read last."
) -> dict[str, Any]:
    """The body of a chat completion of about so many tokens, as `estimate` counts them. last: the user's last words."""
    dice = random.Random(seed)
    tools = [_tool(*row) for row in _TOOLS]
    messages: list[dict[str, Any]] = [{"role": "system", "content": _system()}]
    messages.append({"role": "user", "content": f"Find out why {_name(dice)} is slow, and mend it."})
    left = tokens - estimate(messages[0]["content"]) - estimate(json.dumps(tools))
    turn = 0
    while left > 0:
        path, code = f"src/{dice.choice(_NOUNS)}_{turn}.py", _code(dice, min(left, dice.uniform(500, 2500)))
        call = {"name": "read_file", "arguments": json.dumps({"path": path})}
        messages.append({"role": "assistant", "content": f"I look at `{path}` next.", "tool_calls": [
            {"id": f"call_{seed}_{turn}", "type": "function", "function": call}]})  # fmt: skip
        messages.append({"role": "tool", "tool_call_id": f"call_{seed}_{turn}", "content": code})
        left -= estimate(code) + 40
        turn += 1
    messages.append({"role": "user", "content": last})
    return {"messages": messages, "tools": tools, "tool_choice": "auto", "max_tokens": 8192}


def with_another_turn(body: dict[str, Any], seed: int) -> dict[str, Any]:
    """The conversation after one more file was read: all that was there stands in front, as agents send it."""
    more = agent_body(_BEFORE + 1500, seed)["messages"][2:-1]
    *before, last = body["messages"]
    return {**body, "messages": [*before, *more, last]}


def _system() -> str:
    rules = "\n".join(f"{number}. {_RULES[number % len(_RULES)]}" for number in range(1, 90))
    return f"You are a coding agent that works in the user's working tree.\n\n# Rules\n{rules}\n"


def _tool(name: str, description: str, parameters: tuple[str, ...]) -> dict[str, Any]:
    properties = {
        each: {"type": "string", "description": f"The {each} of what is asked for here."} for each in parameters
    }
    told = f"{description}. {' '.join(_RULES[:4])}"
    schema = {"type": "object", "properties": properties, "required": list(parameters[:1])}
    return {"type": "function", "function": {"name": name, "description": told, "parameters": schema}}


def _name(dice: random.Random) -> str:
    return f"{dice.choice(_VERBS)}_{dice.choice(_NOUNS)}"


def _code(dice: random.Random, tokens: float) -> str:
    lines = ["from __future__ import annotations", ""]
    sofar = 0.0
    while sofar < tokens:
        name, noun = _name(dice), dice.choice(_NOUNS)
        block = [
            f"def {name}_{dice.randrange(1000)}({noun}: list[int], limit: int = {dice.randrange(9000)}) -> int:",
            f'    """{dice.choice(_VERBS).title()} each {noun} that is below the limit."""',
            f"    total = {dice.randrange(100)}",
            f"    for place, each in enumerate({noun}):",
            f"        if each < limit and place % {dice.randrange(2, 9)}:",
            f"            total += {_name(dice)}(each, {dice.randrange(100)})",
            "    return total",
            "",
        ]
        lines += block
        sofar += estimate("\n".join(block))
    return "\n".join(lines)
