"""How fast logs are read, by tool, rules alone and with the trained heads.

    python tests/bench/bench_audit.py [--mb 20] [--deep-mb 1]

The logs are made here, in each tool's own shape, of this repository's sources and documents as what tools gave back, a
new piece for each turn; in LiteLLM's it is what the user said, which is what the heads read. A megabyte is one of the
file; of Claude Code's lines each result stands twice, as in its real ones.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.auditing.finds import Finder
from daemon.auditing.log import Log
from daemon.auditing.registry import FORMATS
from daemon.auditing.staying import Device
from daemon.auditing.tally import Tally

ROOT = Path(__file__).resolve().parents[2]
PIECE = 3_000
AT = "2026-03-01T10:00:00.000Z"


def pieces() -> Iterator[str]:
    """Parts of this repository's texts, without an end, each with a line that no other one has."""
    files = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("daemon/**/*.py"), *ROOT.glob("edge_models/**/*.py")])
    texts = [file.read_text() for file in files]
    number = 0
    while True:
        for text in texts:
            for start in range(0, len(text), PIECE):
                number += 1
                yield f"# part {number}\n{text[start : start + PIECE]}"


def claude_code(piece: str, number: int) -> list[dict[str, object]]:
    """One turn."""
    line = {"sessionId": "s", "cwd": "/srv/project", "timestamp": AT}
    usage = {"input_tokens": 10, "cache_read_input_tokens": 20_000, "output_tokens": 200}
    result = [{"type": "tool_result", "tool_use_id": "t", "content": piece}]
    return [
        {
            **line,
            "type": "user",
            "uuid": f"u{number}",
            "message": {"role": "user", "content": f"Look at part {number}"},
        },
        {
            **line,
            "type": "assistant",
            "requestId": f"r{number}",
            "message": {"id": f"m{number}", "model": "claude-opus-5", "usage": usage, "content": []},
        },
        {
            **line,
            "type": "user",
            "uuid": f"t{number}",
            "message": {"role": "user", "content": result},
            "toolUseResult": {"stdout": piece},
        },
    ]


def codex(piece: str, number: int) -> list[dict[str, object]]:
    """The same."""
    usage = {"input_tokens": 20_000, "output_tokens": 200, "total_tokens": 20_200 + number}
    info = {"total_token_usage": usage, "last_token_usage": usage}
    user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"Look at part {number}"}]}
    return [
        {"timestamp": AT, "type": "response_item", "payload": user},
        {"timestamp": AT, "type": "response_item", "payload": {"type": "function_call_output", "output": piece}},
        {"timestamp": AT, "type": "event_msg", "payload": {"type": "token_count", "info": info}},
    ]


def litellm(piece: str, number: int) -> list[dict[str, object]]:
    """One request of a conversation of three messages."""
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": piece}]
    return [
        {
            "id": str(number),
            "call_type": "completion",
            "model": "gpt-5",
            "custom_llm_provider": "openai",
            "prompt_tokens": 1_000,
            "completion_tokens": 100,
            "response_cost": 0.01,
            "startTime": 1_790_000_000.0,
            "messages": messages,
        }
    ]


MAKERS = {"claude-code": claude_code, "codex": codex, "litellm": litellm}


def make(path: Path, tool: str, size_bytes: int) -> None:
    """Write a log of about that size."""
    texts = pieces()
    with path.open("w") as file:
        number = 0
        while file.tell() < size_bytes:
            number += 1
            file.writelines(json.dumps(line) + "\n" for line in MAKERS[tool](next(texts), number))


def measure(path: Path, tool: str, *, deep: bool) -> float:
    """Megabytes a second of CPU time, so that a busy machine is measured as well. The models are opened before."""
    finder = Finder(deep=deep)
    if deep:
        finder.look(("Ada Byron lives here.",), by_user=True)
    tally = Tally(finder, Device(), demanding=finder.demanding if deep else None)
    began = process_time()
    with Log(path) as log:
        tally.take(FORMATS[tool], log).run(lambda log: None)
    took_s = process_time() - began
    finder.close()
    return path.stat().st_size / 1e6 / took_s


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=20)
    parser.add_argument("--deep-mb", type=float, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for tool in MAKERS:
            for deep, size_mb in ((False, given.mb), (True, given.deep_mb)):
                path = Path(folder) / f"{tool}-{deep}.jsonl"
                make(path, tool, round(size_mb * 1e6))
                speed = measure(path, tool, deep=deep)
                what = "with the trained heads" if deep else "rules alone"
                print(f"{tool}, {what}: {speed:.2f} MB a second of CPU time, n = {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
