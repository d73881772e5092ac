"""The families of signals, by the name that upstream gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from daemon.recipes.signals import Signals
from daemon.signals.authz import Roles
from daemon.signals.base import Signal
from daemon.signals.classifier import Classifiers
from daemon.signals.code_names import NamesInCode
from daemon.signals.complexity import Complexities
from daemon.signals.context import ContextLength
from daemon.signals.conversation import ConversationRules
from daemon.signals.decision_question import DecisionQuestions
from daemon.signals.domain import Domains
from daemon.signals.doubts import Doubts
from daemon.signals.embedding import Likeness
from daemon.signals.event import Events
from daemon.signals.fact_check import FactChecks
from daemon.signals.image import Images
from daemon.signals.implicit_identity import WhoCouldBeGuessed
from daemon.signals.input_modality import InputModalities
from daemon.signals.jailbreak import Jailbreaks
from daemon.signals.keyword import KeywordRules
from daemon.signals.knowledge_match import KnowledgeMatch
from daemon.signals.language import Languages
from daemon.signals.metadata import Hints
from daemon.signals.modality import Modalities
from daemon.signals.parts import Parts
from daemon.signals.personal import PersonalData
from daemon.signals.picture_privacy import PictureKinds
from daemon.signals.preference import Preferences
from daemon.signals.reask import Reasks
from daemon.signals.safety import Safeties
from daemon.signals.secrets import SecretData
from daemon.signals.structure import StructureRules
from daemon.signals.task_shape import TaskShapes
from daemon.signals.user_feedback import UserFeedback

Family: TypeAlias = Callable[[Signals, Parts], Signal]
"""Makes a family of a recipe's rules. It is asked to look even if it has none, and then looks for nothing."""

FAMILIES: Final[dict[str, Family]] = {
    "authz": Roles,
    "classifier": Classifiers,
    "complexity": Complexities,
    "context": ContextLength,
    "conversation": ConversationRules,
    "decision": DecisionQuestions,
    "domain": Domains,
    "embedding": Likeness,
    "event": Events,
    "fact_check": FactChecks,
    "image": Images,
    "input_modality": InputModalities,
    "jailbreak": Jailbreaks,
    "kb": KnowledgeMatch,
    "keyword": KeywordRules,
    "language": Languages,
    "metadata": Hints,
    "modality": Modalities,
    "pii": PersonalData,
    "preference": Preferences,
    "reask": Reasks,
    "safety": Safeties,
    "secret": SecretData,
    "structure": StructureRules,
    "task_shape": TaskShapes,
    "user_feedback": UserFeedback,
}

BOUNDARY: Final[dict[str, Family]] = {
    "code": NamesInCode,
    "doubt": Doubts,
    "implicit": WhoCouldBeGuessed,
    "picture": PictureKinds,
}
"""What the boundary alone asks, pictures always and the rest where a policy wants it: recipes have no rules for these."""
