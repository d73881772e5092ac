"""What families share: made once, and handed to each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from daemon.recipes.embedder import Embedder
from daemon.settings import Dictionary
from daemon.signals.dictionary import Shelf
from daemon.signals.entailment import Entailment
from daemon.signals.forward import Forward
from daemon.signals.knowledge import KnowledgeBase
from daemon.signals.own_classifiers import OwnClassifiers
from daemon.signals.scales import Scales
from daemon.signals.shipped import shipped_heads, shipped_vectors
from daemon.signals.similarity import Similarity
from daemon.signals.vectors import Vectors


class Pictures(Protocol):
    """A vision-text model of the user's."""

    def likeness(self, picture: bytes, texts: Sequence[str]) -> Sequence[float]:
        """How like each text a picture is, from -1 to 1. picture: a file's bytes. Blocks. Raises Unread."""
        ...

    def close(self) -> None:
        """Give memory back."""
        ...


class Parts:
    """guard: whether the privacy signals look though no rule asks, because something may leave this machine.

    votes: whether the token head has a say in that. groups_of: the groups of a client's label, by the user's settings.
    bases: knowledge bases by name. dictionary: the user's own words. classifiers, entailment: the user's own. embedder: the
    one that thresholds of likeness are for; None: ours. reduce: signals that look only where some policy asks for them, and
    that one asks for.
    pictures: the user's model for likenesses of pictures; None: there is none.
    """

    def __init__(
        self,
        heads: Forward | None = None,
        vectors: Vectors | None = None,
        *,
        guard: bool = False,
        votes: bool = True,
        groups_of: Callable[[str], tuple[str, ...]] | None = None,
        bases: dict[str, KnowledgeBase] | None = None,
        classifiers: OwnClassifiers | None = None,
        entailment: Entailment | None = None,
        embedder: Embedder | None = None,
        dictionary: Shelf | None = None,
        reduce: frozenset[str] = frozenset(),
        pictures: Pictures | None = None,
    ) -> None:
        self.heads = heads or shipped_heads()
        self.vectors = vectors or shipped_vectors()
        self.scales = Scales(self.vectors, embedder)
        self.guard = guard
        self.votes = votes
        self.bases = bases or {}
        self.classifiers = classifiers or OwnClassifiers()
        self.entailment = entailment or Entailment()
        self.similarity = Similarity(self.entailment)
        self.dictionary = dictionary or Shelf(Dictionary())
        self.reduce = reduce
        self.pictures = pictures
        self._groups_of = groups_of

    def groups(self, client: str | None) -> tuple[str, ...]:
        """Of a client that has a token; none of anybody else, whatever it claims."""
        return self._groups_of(client) if client is not None and self._groups_of else ()

    def close(self) -> None:
        """Give memory back."""
        self.heads.close()
        self.vectors.close()
        self.classifiers.close()
        self.entailment.close()
        if self.pictures is not None:
            self.pictures.close()
