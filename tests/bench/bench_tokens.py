"""Tokens per second and time to the first one through the whole daemon, against the engine's own loop, in turns.

The own loop is GenAI's, in a process of its own: add the requests, step until they are done, read the handles. The daemon's
side counts the tokens of streamed answers, from the first request sent to the last answer's end. One request, one with the
log-probabilities that confidence is made of, and eight at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from edge_models.catalog import CATALOG, ModelRef
from tests.fakes.running import RunningDaemon

TOKENS = 128
QUESTION = "Write a long story about a dog that travels around the world, number {}."


def own_loop(cache: str) -> None:
    """The child: tokens per second and seconds to the first one, for each line with a number of requests."""
    from edge_models.engines.openvino_genai import load

    engine: Any = load(ModelRef(CATALOG[0].name, CATALOG[0].engine), Path(cache), lambda stage, fraction: None)
    pipeline = engine._pipeline
    tokenizer = pipeline.get_tokenizer()
    print("ready", flush=True)
    id = 0
    for line in sys.stdin:
        began, first = time.perf_counter(), 0.0
        handles = []
        for number in range(int(line)):
            config = pipeline.get_config()
            config.max_new_tokens, config.do_sample, config.ignore_eos = TOKENS, False, True
            chat = [{"role": "user", "content": QUESTION.format(number)}]
            ids = tokenizer.encode(tokenizer.apply_chat_template(chat, True), add_special_tokens=False).input_ids
            id += 1
            handles.append(pipeline.add_request(id, ids, config))
        count = 0
        while pipeline.has_non_finished_requests():
            pipeline.step()
            for handle in handles:
                if handle.can_read():
                    count += sum(len(output.generated_ids) for output in handle.read().values())
                    first = first or time.perf_counter() - began
        print(count / (time.perf_counter() - began), first, flush=True)


async def through_daemon(port: int, requests: int, logprobs: bool) -> tuple[float, float]:
    """Over bare sockets: a client library's own work would be counted as the daemon's on a machine of two cores."""

    async def one(number: int) -> int:
        body = json.dumps(
            {
                "model": "local",
                "temperature": 0,
                "max_tokens": TOKENS,
                "stream": True,
                "logprobs": logprobs,
                "stream_options": {"include_usage": True},
                "messages": [{"role": "user", "content": QUESTION.format(number)}],
            }
        ).encode()
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        last = b""
        nonlocal first
        while piece := await reader.read(65536):
            last = (last + piece)[-9000:]
            if not first and last.count(b'"content":"') > last.count(
                b'"content":""'
            ):  # the role comes with an empty one
                first = time.perf_counter() - began
        writer.close()
        frame = [line for line in last.splitlines() if line.startswith(b"data: {")][-1]
        tokens: int = json.loads(frame[6:])["usage"]["completion_tokens"]
        return tokens

    began, first = time.perf_counter(), 0.0
    counts = await asyncio.gather(*(one(number) for number in range(requests)))
    return sum(counts) / (time.perf_counter() - began), first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--own-loop", metavar="CACHE")
    args = parser.parse_args()
    if args.own_loop:
        own_loop(args.own_loop)
        return
    with tempfile.TemporaryDirectory() as folder:
        daemon = RunningDaemon(Path(folder) / "home", "")
        daemon.wait_ready(120)
        with daemon.client() as control:
            port = control.discovery.port
        child = subprocess.Popen(
            [sys.executable, __file__, "--own-loop", str(daemon.paths.models)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdin
        assert child.stdout
        child.stdout.readline()
        for requests, logprobs in ((1, False), (1, True), (8, False)):
            own: list[tuple[float, float]] = []
            ours: list[tuple[float, float]] = []
            for round in range(args.rounds + 1):
                child.stdin.write(f"{requests}\n")
                child.stdin.flush()
                rate, first = map(float, child.stdout.readline().split())
                theirs = asyncio.run(through_daemon(port, requests, logprobs))
                if round:  # the first one warms both
                    own.append((rate, first))
                    ours.append(theirs)
            ratio = statistics.median(theirs[0] / mine[0] for theirs, mine in zip(ours, own, strict=True))
            later = statistics.median(theirs[1] - mine[1] for theirs, mine in zip(ours, own, strict=True))
            print(
                f"{requests} requests of {TOKENS} tokens{', with log-probabilities' * logprobs}: own loop "
                f"{statistics.median(rate for rate, _ in own):.1f} tok/s (baseline), daemon "
                f"{statistics.median(rate for rate, _ in ours):.1f}, median ratio {ratio:.3f}; first token "
                f"{later * 1000:+.1f} ms, n={args.rounds}",
                flush=True,
            )
        child.stdin.close()
        child.wait()
        daemon.stop()


if __name__ == "__main__":
    main()
