"""A vision-text model of the user's, asked about pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daemon.signals.opening import Unread
from daemon.signals.picture_likeness import KEPT_PICTURES, MOST_PICTURES, PictureLikeness, last_pictures, own_pictures
from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.image_text import open_image_text
from edge_models.engines.base import Broken, Unavailable, Unseen
from providers.contract import Image, Message, Text
from tests.fakes.asking import asked
from tests.fakes.sights import data_url, result, shown
from tests.fakes.siglip import picture, png, tiny_siglip

TEXTS = ("a photo of a cat", "a passport", "code")


def test_the_users_own_model_in_its_process(tmp_path: Path) -> None:
    """From a directory to cosines: those of the vectors, whatever was asked before."""
    folder = tiny_siglip(tmp_path)
    model, here = own_pictures(folder), open_image_text(EncoderRef(str(folder), "zero-shot-image-classification"))
    for number in (0, 1, 0):
        image = picture(number)
        expected = here.embed_images([image]) @ here.embed_texts(TEXTS).T
        np.testing.assert_allclose(model.likeness(png(image), TEXTS), expected[0], atol=1e-6)
        assert model.likeness(png(image), TEXTS[::-1]) == pytest.approx(expected[0][::-1].tolist(), abs=1e-6)
    with pytest.raises(Unread) as raised:
        model.likeness(b"no picture", TEXTS)
    assert raised.value.code == "Unseen"
    model.close()


def test_a_directory_that_is_none(tmp_path: Path) -> None:
    """It is tried once, and then known not to be there, with what to do."""
    model = own_pictures(tmp_path)
    for _ in range(2):
        with pytest.raises(Unread) as raised:
            model.likeness(b"x", TEXTS)
        assert raised.value.code == "NoModel"
    assert "fetch" in (model.why or "")


class Counting:
    """Vectors by length, and how often it was asked."""

    def __init__(self) -> None:
        self.pictures: list[bytes] = []
        self.texts: list[str] = []
        self.fails: Exception | None = None

    def embed_pictures(self, pictures: tuple[bytes, ...]) -> Any:
        if self.fails:
            raise self.fails
        self.pictures += pictures
        return np.array([[1.0, len(each)] for each in pictures], np.float32)

    def embed_texts(self, texts: tuple[str, ...]) -> Any:
        self.texts += texts
        return np.array([[len(each), 1.0] for each in texts], np.float32)

    def close(self) -> None:
        self.pictures.append(b"closed")


def test_nothing_is_asked_twice() -> None:
    """Texts are kept, and the last pictures; the oldest are forgotten."""
    counting = Counting()
    model = PictureLikeness(lambda: counting)
    assert model.likeness(b"12", ["a", "bb", "a"]) == [3, 4, 3]
    assert model.likeness(b"12", ["bb", "ccc"]) == [4, 5]
    assert (counting.pictures, counting.texts) == ([b"12"], ["a", "bb", "ccc"])

    for number in range(KEPT_PICTURES):
        model.likeness(b"%d" % number + b"....", ["a"])
    model.likeness(b"12", ["a"])
    assert counting.pictures.count(b"12") == 2
    model.close()
    assert counting.pictures[-1] == b"closed"


@pytest.mark.parametrize(
    ("error", "code"), [(Unseen("broken"), "Unseen"), (Broken("late"), "Broken"), (Unavailable("gone"), "Unavailable")]
)
def test_failures_are_codes(error: Exception, code: str) -> None:
    """And a failure is no vector that is kept."""
    counting = Counting()
    model = PictureLikeness(lambda: counting)
    counting.fails = error
    with pytest.raises(Unread) as raised:
        model.likeness(b"1", ["a"])
    assert raised.value.code == code
    counting.fails = None
    assert model.likeness(b"1", ["a"]) == [2]


def test_which_pictures_are_meant() -> None:
    """Those of the user's last message, not of tools and earlier turns, and not more than can be looked at in time."""
    old, new = Image(data_url(b"old")), Image(data_url(b"new"))
    earlier = (Message("user", (Text("x"), old)), Message("assistant", (Text("y"),)))
    assert last_pictures(asked(shown("what is it?", new, before=earlier, after=(result(old),)))) == [new]
    assert last_pictures(asked(shown("what is it?", before=earlier))) == []
    assert len(last_pictures(asked(shown("", *[new] * 20)))) == MOST_PICTURES
