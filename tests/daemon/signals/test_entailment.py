"""The model that the user chose for premises and hypotheses."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.signals.entailment import Entailment
from edge_models.engines.base import Unavailable
from tests.fakes.encoders import tiny_classifier, tiny_entailer


def test_it_is_opened_once_and_closed(tmp_path: Path) -> None:
    """In a process of its own, which ends with it; asked again, it starts again."""
    entailment = Entailment(tiny_entailer(tmp_path))
    assert entailment.chosen
    first = entailment.judge("bad", "bob")
    pid = entailment._opened.pid
    assert entailment.judge("bad", "bob") == first
    assert entailment._opened.pid == pid
    entailment.close()
    assert entailment.judge("bad", "bob") == first
    entailment.close()

    assert set(first) == {"entailment", "neutral", "contradiction"}
    assert max(first, key=lambda label: first[label]) == "contradiction"


def test_another_model_is_refused(tmp_path: Path) -> None:
    """Each time that it is asked."""
    entailment = Entailment(tiny_classifier(tmp_path))
    for _ in range(2):
        with pytest.raises(Unavailable, match="id2label"):
            entailment.judge("bad", "bob")
    entailment.close()
    assert not Entailment().chosen
