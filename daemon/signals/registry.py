"""The signals, by the name that upstream gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daemon.settings import Signals
from daemon.signals.base import Signal
from daemon.signals.context import ContextLength
from daemon.signals.keyword import KeywordRules
from daemon.signals.per_text import PerText
from daemon.signals.pii import Pii
from daemon.signals.secret import Secrets

SIGNALS: Final[dict[str, Callable[[Signals], Signal]]] = {
    "context": ContextLength,
    "keyword": KeywordRules,
    "pii": lambda settings: PerText(Pii()),
    "secret": lambda settings: PerText(Secrets()),
}
