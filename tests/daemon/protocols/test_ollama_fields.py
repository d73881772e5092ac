"""Options, formats, durations and pictures of Ollama's."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.errors import BadRequest
from daemon.protocols import ollama_chat
from daemon.protocols.base import Envelope
from daemon.protocols.ollama_fields import pictures, seconds
from daemon.protocols.openai_fields import MAX_SCHEMA_BYTES
from providers.contract import Image, Request, Sampling

ENVELOPE = Envelope("00000000000000aa", None, None, None, "any", 1_700_000_000)


def read(**body: Any) -> Request:
    return ollama_chat.read(json.dumps({"model": "m", **body}).encode(), ENVELOPE)


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        ("5m", 300.0),
        ("1h30m", 5400.0),
        ("1.5h", 5400.0),
        ("500ms", 0.5),
        ("10us", 1e-5),
        ("+3s", 3.0),
        (1800, 1800.0),
        (0, 0.0),
        ("0", 0.0),
        ("300", 300.0),
        (0.5, 0.5),
        (-1, float("inf")),
        ("-1", float("inf")),
        ("-1s", float("inf")),
        (None, None),
        ("", None),
    ],
)
def test_durations(given_: Any, meant: float | None) -> None:
    """Seconds as a number, or Go's form; what is negative is for ever."""
    assert seconds(given_) == (pytest.approx(meant) if meant is not None else None)
    assert read(keep_alive=given_).keep_s == (pytest.approx(meant) if meant is not None else None)


@pytest.mark.parametrize("text", ["soon", "5 m", "m", "5x", "--1s", "1h-3m", "٣s", "1e3s", "9" * 400])
def test_no_duration(text: str) -> None:
    """What Go would not read is refused."""
    with pytest.raises(BadRequest) as caught:
        seconds(text)
    assert caught.value.parameter == "keep_alive"


@given(st.text(alphabet="0123456789.hmsnuµ+-", max_size=40))
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    """Nothing else happens."""
    try:
        meant = seconds(text)
    except BadRequest:
        return
    assert meant is None or meant >= 0


def test_options() -> None:
    """Those that a model here can follow, under their neutral names."""
    options = {
        "num_predict": 128.0,
        "temperature": 1,
        "top_p": 0.5,
        "seed": 7,
        "stop": ["a", "b"],
        "presence_penalty": 1,
        "frequency_penalty": -1,
    }
    assert read(options=options).sampling == Sampling(
        max_tokens=128,
        temperature=1.0,
        top_p=0.5,
        seed=7,
        stop=("a", "b"),
        presence_penalty=1.0,
        frequency_penalty=-1.0,
    )
    assert read(options={"stop": "x"}).sampling.stop == ("x",)


@pytest.mark.parametrize("none", [-1, -2, 0])
def test_no_limit(none: int) -> None:
    """Their words for as long as it takes, and for any seed."""
    assert read(options={"num_predict": none}).sampling.max_tokens is None
    assert read(options={"seed": -1}).sampling.seed is None


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"temperature": "hot"}, "options.temperature"),
        ({"temperature": 3}, "options.temperature"),
        ({"top_p": 1.5}, "options.top_p"),
        ({"num_predict": 1.5}, "options.num_predict"),
        ({"num_predict": 1e300}, "options.num_predict"),
        ({"seed": 2**70}, "options.seed"),
        ({"stop": [""]}, "stop"),
        ({"stop": 5}, "options.stop"),
        ({"stop": ["x"] * 65}, "stop"),
    ],
)
def test_options_that_mean_nothing(options: dict[str, Any], parameter: str) -> None:
    """They are refused by name, without their value."""
    with pytest.raises(BadRequest) as caught:
        read(options=options)
    assert caught.value.parameter == parameter


def test_formats() -> None:
    """JSON of any kind, or of a schema."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}

    assert read(format="json").schema == {"type": "object"}
    assert read(format=schema).schema == schema
    assert read(format="").schema is read(format=None).schema is None


@pytest.mark.parametrize("format", ["yaml", 5, [1], {"enum": ["x" * MAX_SCHEMA_BYTES]}])
def test_formats_that_are_none(format: Any) -> None:
    """Another word, another type, or a schema that is too long."""
    with pytest.raises(BadRequest) as caught:
        read(format=format)
    assert caught.value.parameter == "format"


@pytest.mark.parametrize("think", ["maybe", 5])
def test_think_knows_five_words(think: Any) -> None:
    """Anything else is refused."""
    with pytest.raises(BadRequest) as caught:
        read(think=think)
    assert caught.value.parameter == "think"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n", "png"),
        (b"\xff\xd8\xff\xe0", "jpeg"),
        (b"GIF89a", "gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp"),
        (b"BM\x00", "bmp"),
    ],
)
def test_a_picture_says_what_it_is(data: bytes, kind: str) -> None:
    """By its first bytes, since Ollama's clients send no type."""
    image = base64.b64encode(data).decode()

    assert pictures((image,), "images") == (Image(f"data:image/{kind};base64,{image}"),)
