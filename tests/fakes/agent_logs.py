"""Logs as coding agents keep them, in each one's own shape, around words that a test gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

ASKED: Final = "2026-03-01T10:00:00.000Z"
ANSWERED: Final = "2026-03-01T10:00:05.000Z"
FOLDER: Final = "/srv/project"


def lines(*records: Any) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def claude_line(type: str, content: Any, uuid: str, **more: Any) -> dict[str, Any]:
    """One line of Claude Code's."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "type": type,
        "message": {"role": type, "content": content},
        "uuid": uuid,
        "timestamp": ASKED,
        "cwd": FOLDER,
        "sessionId": "8e68d2f0-ed06-41e4-a9f1-977f8132b95e",
        "version": "2.1.197",
        **more,
    }


def claude_answer(id: str, content: list[Any], uuid: str, written: int = 42, **more: Any) -> dict[str, Any]:
    """One block of an answer."""
    usage = {
        "input_tokens": 1_200,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 800,
        "output_tokens": written,
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 300},
    }
    line = claude_line("assistant", content, uuid, requestId=f"req_{id}", **more)
    line["message"] |= {"id": f"msg_{id}", "model": "claude-opus-4-8", "usage": usage}
    return line


def claude_result(text: str, uuid: str, **more: Any) -> dict[str, Any]:
    """What a tool gave back."""
    content = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": text, "is_error": False}]
    return claude_line("user", content, uuid, toolUseResult={"stdout": text, "stderr": ""}, **more)


def claude_code(words: str, result: str) -> dict[str, bytes]:
    """A question, a tool's call, what it gave back, an answer."""
    call = [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "cat notes"}}]
    return {
        ".claude/projects/-work-project/8e68d2f0.jsonl": lines(
            {"type": "queue-operation", "operation": "enqueue", "timestamp": ASKED, "sessionId": "s"},
            claude_line("user", words, "u1"),
            claude_answer("1", call, "a1"),
            claude_result(result, "u2"),
            claude_answer("2", [{"type": "text", "text": "All is set up."}], "a2"),
            {"type": "last-prompt", "lastPrompt": words, "leafUuid": "a2", "sessionId": "s"},
        )
    }


def codex_item(**item: Any) -> dict[str, Any]:
    """One line of Codex's that went out or came in."""
    return {"timestamp": ASKED, "type": "response_item", "payload": item}


def codex_message(role: str, text: str) -> dict[str, Any]:
    """A message."""
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_item(type="message", role=role, content=[{"type": kind, "text": text}])


def codex_count(requests: int) -> dict[str, Any]:
    """The tokens of a session's so many-th request."""
    last = {"input_tokens": 2_000, "cached_input_tokens": 500, "output_tokens": 40, "total_tokens": 2_040}
    total = {key: value * requests for key, value in last.items()}
    info = {"total_token_usage": total, "last_token_usage": last, "model_context_window": 258_400}
    return {"timestamp": ANSWERED, "type": "event_msg", "payload": {"type": "token_count", "info": info}}


def codex(words: str, result: str) -> dict[str, bytes]:
    """The same as Codex writes it: the count comes behind what the tool gave back."""
    meta = {"id": "01a2", "cwd": FOLDER, "cli_version": "0.171.0", "model_provider": "openai"}
    meta |= {"base_instructions": {"text": "You are a coding agent."}}
    return {
        ".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-01a2.jsonl": lines(
            {"timestamp": ASKED, "type": "session_meta", "payload": meta},
            codex_message("user", "<environment_context>\n  <cwd>/srv/project</cwd>\n</environment_context>"),
            {"timestamp": ASKED, "type": "turn_context", "payload": {"cwd": FOLDER, "model": "gpt-5-codex"}},
            codex_message("user", words),
            {"timestamp": ASKED, "type": "event_msg", "payload": {"type": "user_message", "message": words}},
            codex_item(type="function_call", name="exec_command", arguments='{"cmd": "cat notes"}', call_id="c1"),
            codex_item(type="function_call_output", call_id="c1", output=result),
            codex_count(1),
            codex_count(1),
            codex_message("assistant", "All is set up."),
            codex_count(2),
        )
    }


def continue_dev(words: str, result: str) -> dict[str, bytes]:
    """The same as Continue writes it: one file, rewritten at each turn."""
    usage = {"prompt_tokens": 1_500, "completion_tokens": 30, "model": "gpt-5"}
    call = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "cat notes"}'}}
    state = {"toolCallId": "c1", "toolCall": call, "status": "done", "output": [{"content": result, "name": "Result"}]}
    session = {
        "sessionId": "01386c28",
        "title": "Untitled Session",
        "workspaceDirectory": FOLDER,
        "history": [
            {"message": {"role": "user", "content": words}, "contextItems": []},
            {
                "message": {"role": "assistant", "content": "", "toolCalls": [call], "usage": usage},
                "toolCallStates": [state],
            },
            {"message": {"role": "assistant", "content": "All is set up.", "usage": usage}, "contextItems": []},
        ],
    }
    return {
        ".continue/sessions/01386c28.json": json.dumps(session, indent=2).encode(),
        ".continue/sessions/sessions.json": b"[]",
    }


def aider(words: str, result: str) -> dict[str, bytes]:
    """The same as Aider writes it: a file that was added stands in what was sent alone."""
    said = "".join(f"#### {line}  \n" for line in words.split("\n"))
    chat = (
        "\n# aider chat started at 2026-03-01 10:00:00\n\n"
        "> Main model: openai/gpt-5 with diff edit format  \n"
        "> Added notes to the chat (read-only).  \n"
        f"\n{said}\nAll is set up.\n\n"
        "> Tokens: 2.5k sent, 30 received. Cost: $0.0062 message, $0.0062 session.  \n"
    )
    asked = "\n".join(f"USER {line}" for line in f"notes:\n{result}\n{words}".split("\n"))
    sent = f"TO LLM 2026-03-01T10:00:01\n-------\nSYSTEM Act as an expert.\n{asked}\n"
    return {
        "project/.aider.chat.history.md": chat.encode(),
        "project/.aider.llm.history": f"{sent}LLM RESPONSE 2026-03-01T10:00:05\nASSISTANT All is set up.\n".encode(),
        "project/.aider.input.history": b"\n# 2026-03-01 10:00:00.1\n"
        + "".join(f"+{line}\n" for line in words.split("\n")).encode(),
    }


def litellm_row(words: str, result: str, **more: Any) -> dict[str, Any]:
    """One standard logging payload."""
    return {
        "id": "chatcmpl-1",
        "call_type": "completion",
        "custom_llm_provider": "openai",
        "model": "gpt-5",
        "response_cost": 0.004,
        "prompt_tokens": 1_500,
        "completion_tokens": 30,
        "total_tokens": 1_530,
        "startTime": 1_772_359_200.5,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": f"notes:\n{result}"},
            {"role": "assistant", "content": "I see."},
            {"role": "user", "content": words},
        ],
        **more,
    }


def litellm(words: str, result: str) -> dict[str, bytes]:
    """One request."""
    return {"litellm.jsonl": lines(litellm_row(words, result))}


MAKERS: Final[dict[str, Callable[[str, str], dict[str, bytes]]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "continue": continue_dev,
    "aider": aider,
    "litellm": litellm,
}
"""By the name of the format: from the user's words and what a tool gave back to files below the home folder."""
