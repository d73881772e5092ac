"""Sequences over a tiny model of the same form as a real one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edge_models.decoder import Decoder, TokenSequence, open_decoder
from edge_models.engines.base import Broken, Unavailable
from edge_models.sampling import Logits
from tests.fakes.tiny_decoder import VOCABULARY, write_tiny_decoder

PROMPT = [3, 1, 4, 1, 5, 9, 2, 6]
ASIDE = [30, 31, 32]
AFTER = [7, 8]
SLIDING = '{"sliding_window": 4096}'


def opened(folder: Path, config: str | None = None, **kinds: object) -> Decoder:
    directory = write_tiny_decoder(folder, **kinds)  # type: ignore[arg-type]
    if config is not None:
        (directory / "config.json").write_text(config)
    return open_decoder(directory, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"})


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    return opened(tmp_path_factory.mktemp("tiny"))


def fresh(decoder: Decoder, tokens: list[int]) -> Logits:
    """What follows `tokens`, read at once by a new sequence."""
    return TokenSequence(decoder).read(tokens)[0].copy()


def test_rows_are_the_last_ones(decoder: Decoder) -> None:
    """Each row is what follows its token; only those that are asked for are computed."""
    rows = TokenSequence(decoder).read(PROMPT, rows=3)

    assert rows.shape == (3, VOCABULARY)
    for place in range(3):
        assert rows[place] == pytest.approx(fresh(decoder, PROMPT[: 6 + place]), abs=1e-5)


def test_pieces_are_as_good_as_the_whole(decoder: Decoder) -> None:
    """A prompt that is read in parts leads to the same logits, however many there are."""
    sequence = TokenSequence(decoder)
    for place in range(0, 400, 50):
        logits = sequence.read([(place + token) % VOCABULARY for token in range(50)])

    assert logits[0] == pytest.approx(fresh(decoder, [token % VOCABULARY for token in range(400)]), abs=1e-5)
    assert len(sequence.tokens) == sequence.cells == 400


def test_what_was_shortened_was_never_read(decoder: Decoder) -> None:
    """After it, logits are as without it; a second time too, with hidden cells in between."""
    sequence = TokenSequence(decoder)
    sequence.read(PROMPT + ASIDE)
    sequence.shorten(len(PROMPT))
    sequence.read(AFTER)
    sequence.read(ASIDE)
    sequence.shorten(len(PROMPT) + 1)

    assert sequence.read(AFTER[1:])[0] == pytest.approx(fresh(decoder, PROMPT + AFTER), abs=1e-5)
    assert sequence.tokens == PROMPT + AFTER
    assert sequence.cells == len(PROMPT + ASIDE + AFTER + ASIDE) + 1
    assert np.abs(fresh(decoder, PROMPT + ASIDE + AFTER) - fresh(decoder, PROMPT + AFTER)).max() > 0.01


@pytest.mark.parametrize(
    ("kinds", "config", "hides"),
    [
        ({}, None, True),
        ({}, '{"sliding_window": null, "text_config": {"sliding_window": null}}', True),
        ({}, '{"sliding_window": 4096, "use_sliding_window": false}', True),
        ({}, SLIDING, False),
        ({}, '{"text_config": {"sliding_window": 512}}', False),
        ({}, "no JSON", False),
        ({"inputs": ("attention_mask",)}, None, False),
        ({"inputs": ()}, None, False),
        ({"kind": "cache_params"}, None, False),
    ],
)
def test_what_is_read_aside_is_forgotten(
    tmp_path: Path, kinds: dict[str, object], config: str | None, hides: bool
) -> None:
    """Inside, the continuation is read; afterwards nothing of it is left, whether cells are hidden or state is copied."""
    decoder = opened(tmp_path / "tiny", config, **kinds)
    sequence = TokenSequence(decoder)
    sequence.read(PROMPT)

    with sequence.aside():
        assert sequence.read(ASIDE)[0] == pytest.approx(fresh(decoder, PROMPT + ASIDE), abs=1e-5)

    assert decoder.hides == hides
    assert sequence.tokens == PROMPT
    assert sequence.cells == len(PROMPT) + (len(ASIDE) if hides else 0)
    assert sequence.read(AFTER)[0] == pytest.approx(fresh(decoder, PROMPT + AFTER), abs=1e-5)


def test_what_the_runtime_refuses_is_broken(decoder: Decoder) -> None:
    """Here, because an input is left out."""
    with pytest.raises(Broken):
        TokenSequence(Decoder(decoder.compiled, frozenset({"input_ids"}), hides=True)).read(PROMPT)


def test_a_model_without_state_is_refused(tmp_path: Path) -> None:
    """It would have to read everything again for each token."""
    with pytest.raises(Unavailable, match="text-generation-with-past"):
        opened(tmp_path, kind="")
