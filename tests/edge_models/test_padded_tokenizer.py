"""Texts at one length."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge_models.engines.base import Unavailable
from edge_models.padded_tokenizer import PaddedTokenizer
from tests.fakes.siglip import TOKENS, write_tokenizer


def told(folder: Path, **more: Any) -> Path:
    write_tokenizer(folder)
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | more))
    return folder


def ids(folder: Path, text: str, pad_id: int | None = 1) -> list[int]:
    return PaddedTokenizer(folder, TOKENS, pad_id).ids(text).tolist()


def test_the_token_to_pad_with_is_the_tokenizers(tmp_path: Path) -> None:
    """It is what tokenizer_config.json says, not config.json's default, which is that of another vocabulary."""
    assert ids(told(tmp_path), "a photo") == [3, 4, 1] + [0] * 9
    assert ids(told(tmp_path, pad_token={"content": "</s>"}), "a photo") == [3, 4, 1] + [1] * 9


def test_without_that_file_the_next_best_is_asked(tmp_path: Path) -> None:
    """tokenizer.json's own padding, else config.json."""
    write_tokenizer(tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    assert ids(tmp_path, "a", pad_id=2) == [3, 1] + [2] * 10
    file = json.loads((tmp_path / "tokenizer.json").read_text())
    file["padding"] = {
        "strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0,
        "pad_token": "<pad>",
    }  # fmt: skip
    (tmp_path / "tokenizer.json").write_text(json.dumps(file))
    assert ids(tmp_path, "a", pad_id=2) == [3, 1] + [0] * 10
    with pytest.raises(Unavailable, match="padded"):
        write_tokenizer(tmp_path)
        (tmp_path / "tokenizer_config.json").unlink()
        ids(tmp_path, "a", pad_id=None)


def test_a_long_text_keeps_its_last_token(tmp_path: Path) -> None:
    """Its end is cut, not the token that ends it; nothing of it is a second window."""
    assert ids(told(tmp_path), "a photo " * 20) == [3, 4] * 5 + [3, 1]


def test_padding_on_the_left(tmp_path: Path) -> None:
    """Where the tokenizer's settings say so, the last token is the text's own."""
    assert ids(told(tmp_path, padding_side="left"), "cat") == [0] * 10 + [6, 1]


def test_a_template_that_ends_no_text(tmp_path: Path) -> None:
    """If the settings want an end and tokenizer.json puts none, it is put there, once."""
    folder = told(tmp_path, add_eos_token=True)
    assert ids(folder, "cat") == [6, 1] + [0] * 10
    file = json.loads((folder / "tokenizer.json").read_text())
    file["post_processor"] = None
    (folder / "tokenizer.json").write_text(json.dumps(file))
    assert ids(folder, "cat") == [6, 1] + [0] * 10
    assert ids(folder, "a " * 30) == [3] * 11 + [1]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"tokenizer_class": "SiglipTokenizer"}, [6, 7, 1]),
        ({"tokenizer_class": "Siglip2Tokenizer"}, [2, 2, 2, 1]),
        ({"do_lower_case": True}, [2, 2, 2, 1]),
        ({}, [2, 2, 2, 1]),
    ],
)
def test_texts_are_made_plain_as_in_training(settings: dict[str, Any], expected: list[int], tmp_path: Path) -> None:
    """SigLIP's first tokenizer drops punctuation in code, which its tokenizer.json may not."""
    assert ids(told(tmp_path, **settings), "Cat,  !  DOG. ")[: len(expected)] == expected


def test_a_window_without_room(tmp_path: Path) -> None:
    """A length that only special tokens fit is a damaged configuration."""
    with pytest.raises(Unavailable, match="no token"):
        PaddedTokenizer(told(tmp_path), 1, 0)


@pytest.mark.parametrize("data", [b"[", b"7", b'{"padding_side": 3}'])
def test_hostile_settings(data: bytes, tmp_path: Path) -> None:
    """Whatever stands in it, it is an Unavailable."""
    write_tokenizer(tmp_path)
    (tmp_path / "tokenizer_config.json").write_bytes(data)
    with pytest.raises(Unavailable, match="tokenizer_config"):
        PaddedTokenizer(tmp_path, TOKENS, 0)
