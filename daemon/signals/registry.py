"""The families of signals, by the name that upstream gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from daemon.recipes.signals import Signals
from daemon.signals.authz import Roles
from daemon.signals.base import Signal
from daemon.signals.context import ContextLength
from daemon.signals.conversation import ConversationRules
from daemon.signals.event import Events
from daemon.signals.keyword import KeywordRules
from daemon.signals.language import Languages
from daemon.signals.metadata import Hints
from daemon.signals.parts import Parts
from daemon.signals.personal import PersonalData
from daemon.signals.secrets import SecretData
from daemon.signals.structure import StructureRules

Family: TypeAlias = Callable[[Signals, Parts], Signal]
"""Makes a family of a recipe's rules. It is asked to look even if it has none, and then looks for nothing."""

FAMILIES: Final[dict[str, Family]] = {
    "authz": Roles,
    "context": ContextLength,
    "conversation": ConversationRules,
    "event": Events,
    "keyword": KeywordRules,
    "language": Languages,
    "metadata": Hints,
    "pii": PersonalData,
    "secret": SecretData,
    "structure": StructureRules,
}
