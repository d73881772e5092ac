"""Whether a turn could have been answered on this machine, as far as a log can tell.

The daemon's own rules, on what was measured here: a prompt has to fit the local model's window, and an answer has to be
predicted within `policy.patience_s`. With the trained heads, the user's words must also not ask for code, mathematics
or a tool, where small models are weakest. It is an estimate, and on the high side: no log tells whether the answer
would have been good enough, which the daemon measures on the answer itself. And on the low side in one: it reckons each
prompt as read anew, where engines keep what they read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from daemon.connecting.base import CONTEXT_TOKENS
from daemon.probe_store import Stored
from edge_models.probe import Measured

_decode: Final = msgspec.json.Decoder(Stored).decode


class Device(Struct, frozen=True):
    """What this machine can do. context_tokens: the window. reading, writing: tokens a second; None: not measured.

    patience_s: how long an answer may take.
    """

    context_tokens: int = CONTEXT_TOKENS
    reading: float | None = None
    writing: float | None = None
    patience_s: float = 20.0

    def fits(self, prompt_tokens: int, answer_tokens: int) -> bool:
        """Whether a request could be answered here, in time where the speed is known."""
        if prompt_tokens + answer_tokens > self.context_tokens:
            return False
        if self.reading is None or self.writing is None:
            return True
        return prompt_tokens / self.reading + answer_tokens / self.writing <= self.patience_s


def this_device(probes: Path, patience_s: float) -> Device:
    """By the fastest measurement that is kept in a folder. Asks no driver and loads nothing."""
    measured = _measured(probes)
    if not measured:
        return Device(patience_s=patience_s)
    best = min(measured, key=lambda each: each.question_s)
    reading = best.long_tokens / best.long_s if best.long_s > 0 else None
    writing = 1 / best.token_s if best.token_s > 0 else None
    return Device(best.context_tokens, reading, writing, patience_s)


def _measured(folder: Path) -> list[Measured]:
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            result = _decode(file.read_bytes()).result
        except (OSError, msgspec.MsgspecError):
            continue
        if isinstance(result, Measured):
            found.append(result)
    return found
