"""An engine without a model: it plays what its prompt, or its script file, tells it to.

It speaks the same contract as a real engine, so that processes, queues, cancelling and protocols are tested with exact
answers and exact timing. The last user turn is the script: words are tokens, and directives stand in double brackets:

[[tokens=N]]    N numbered words instead of an echo     [[delay=MS]]   time between steps
[[crash=N]]     the process dies after N tokens         [[fail=N]]     the engine breaks after N tokens
[[hang=N]]      no more tokens after N                  [[prompt=N]]   pretend that the prompt is N tokens long
[[bytes=HEX]]   these bytes, one a token; dots between digits keep them from being read as a packed text
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from edge_models.catalog import AUTO, ModelRef
from edge_models.devices import CPU, missing
from edge_models.engines.base import (
    Broken,
    Capabilities,
    Chat,
    ContextTooLong,
    Done,
    Engine,
    Prompt,
    Sampling,
    Stage,
    Token,
    Unavailable,
)

_DIRECTIVE: Final = re.compile(r"\[\[(\w+)=([0-9A-Fa-f.]+)\]\]")
_PART_S: Final = 0.01
"""How long a part of a prompt is read at most."""
_WORD: Final = re.compile(r"\s*\S+\s*$|\s*\S+|\s+")


class _Play:
    """One request in flight."""

    def __init__(self, text: str, sampling: Sampling, room: int) -> None:
        orders = dict(_DIRECTIVE.findall(text))
        said = _DIRECTIVE.sub("", text).strip() or "ok"
        if "bytes" in orders:
            self.pieces = [bytes([byte]) for byte in bytes.fromhex(orders["bytes"].replace(".", ""))]
        elif "tokens" in orders:
            self.pieces = [f"{number} ".encode() for number in range(int(orders["tokens"]))]
        else:
            self.pieces = [word.encode() for word in _WORD.findall(said)]
        self.keep = sampling.keep
        self.limit = min(room, sampling.max_tokens if sampling.max_tokens is not None else room)
        self.delay_s = float(orders.get("delay", 0)) / 1000
        self.crash, self.fail, self.hang = (int(orders.get(key, -1)) for key in ("crash", "fail", "hang"))
        self.sent = 0
        self.read_at = 0.0


class ScriptedEngine:
    """Plays scripts, up to `parallel` at once."""

    def __init__(
        self, parallel: int = 8, context_tokens: int = 8192, device: str = CPU, reading: float | None = None
    ) -> None:
        """reading: tokens of prompts a second, one prompt after the other; None: at once."""
        self.capabilities = Capabilities(parallel=parallel, logprobs="chosen", seed=True, penalties=True, score=True)
        self.context_tokens = context_tokens
        self.device = device
        self.chat_template = ""
        self._reading = reading
        self._plays: dict[int, _Play] = {}
        self._kept: set[int] = set()

    def start(self, id: int, prompt: Prompt, sampling: Sampling) -> int:
        turns = [turn.text for turn in prompt.turns] if isinstance(prompt, Chat) else [prompt.text]
        orders = dict(_DIRECTIVE.findall(turns[-1]))
        length = int(orders.get("prompt", max(1, sum(len(text.split()) for text in turns))))
        if length >= self.context_tokens:
            raise ContextTooLong(length, self.context_tokens)
        play = _Play(turns[-1], sampling, self.context_tokens - length)
        if self._reading:
            begins = max((time.monotonic(), *(each.read_at for each in self._plays.values())))
            play.read_at = begins + length / self._reading
        self._plays[id] = play
        return length

    def step(self) -> list[tuple[int, Token | Done]]:
        time.sleep(max((play.delay_s for play in self._plays.values()), default=0.0))
        events: list[tuple[int, Token | Done]] = []
        for id, play in list(self._plays.items()):
            if (left_s := play.read_at - time.monotonic()) > 0:
                time.sleep(min(left_s, _PART_S))  # then others and a cancel have their turn
                continue
            if play.sent == play.crash:
                os._exit(66)
            if play.sent == play.fail:
                raise Broken("the script says that the engine breaks here")
            if play.sent == play.hang:
                time.sleep(0.001)
            elif play.sent < min(len(play.pieces), play.limit):
                piece = play.pieces[play.sent]
                events.append((id, Token(piece, logprob=logprob_of(piece))))
                play.sent += 1
            else:
                del self._plays[id]
                if play.keep:
                    self._kept.add(id)
                events.append((id, Done("stop" if play.sent == len(play.pieces) else "length")))
        return events

    def score(self, id: int, continuations: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        if id not in self._plays and id not in self._kept:
            raise Broken("nothing is known of this request")
        words = [[word.encode() for word in _WORD.findall(text)] for text in continuations]
        return tuple(tuple(map(logprob_of, pieces)) for pieces in words)

    def cancel(self, id: int) -> None:
        self._plays.pop(id, None)
        self._kept.discard(id)

    def close(self) -> None:
        self._plays.clear()
        self._kept.clear()


def logprob_of(piece: bytes) -> float:
    """A number in (-4, 0] that depends on the piece alone."""
    return -(hashlib.blake2b(piece, digest_size=1).digest()[0] / 64)


def load(model: ModelRef, cache_dir: Path, progress: Callable[[Stage, float | None], None]) -> Engine:
    """Ready at once, on whatever device it is asked for.

    A model path of the form `parallel=N,context=N,load_ms=N,reading=N,crash=1` sets what is not the default (reading: tokens
    of prompts a second); with `lacks=DEVICE` it is refused on that device, with `dies=DEVICE` its process ends there.
    """
    options = dict(pair.split("=") for pair in model.path.split(",")) if model.path else {}
    progress("loading", None)
    time.sleep(int(options.get("load_ms", 0)) / 1000)
    device = CPU if model.device == AUTO else model.device
    if options.get("crash") == "1" or device == options.get("dies"):
        os._exit(66)
    if device == options.get("lacks"):
        raise Unavailable(missing(device, (CPU,)))
    reading = float(options["reading"]) if "reading" in options else None
    return ScriptedEngine(int(options.get("parallel", 8)), int(options.get("context", 8192)), device, reading)


def versions() -> dict[str, str]:
    """It runs on nothing."""
    return {}
