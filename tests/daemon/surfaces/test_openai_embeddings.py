"""OpenAI's embeddings over HTTP."""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litestar.testing import TestClient

from daemon.signals.parts import Parts
from daemon.surfaces.openai_embeddings import in_base64, routes
from tests.fakes.asking import without_models
from tests.fakes.signal_parts import with_models
from tests.fakes.surfaces import TOKEN, surfacing

Api = TestClient[Any]
MODEL = "all-minilm-l6-v2"


@pytest.fixture(scope="module")
def parts() -> Parts:
    return with_models()


@pytest.fixture(scope="module")
def api(parts: Parts) -> Iterator[Api]:
    with surfacing(routes, parts, {"text-embedding-3-small": MODEL}) as client:
        yield client


def test_vectors_are_those_that_routing_compares(api: Api, parts: Parts) -> None:
    """Each text has its vector, in order, and it is the one that the signals see."""
    answer = api.post("/v1/embeddings", json={"model": MODEL, "input": ["a cat", "a dog"]})
    body = answer.json()

    assert answer.headers["x-nearloop-egress"] == "none"
    assert (body["object"], body["model"]) == ("list", MODEL)
    assert [(each["object"], each["index"]) for each in body["data"]] == [("embedding", 0), ("embedding", 1)]
    assert [each["embedding"] for each in body["data"]] == [
        parts.vectors.numbers("a cat"),
        parts.vectors.numbers("a dog"),
    ]
    assert body["usage"] == {"prompt_tokens": 4, "total_tokens": 4}


def test_one_text_may_come_alone(api: Api, parts: Parts) -> None:
    """A string is one text; the local names, and names that stand for it, are the encoder too."""
    for model in ("local", "auto", f"local/{MODEL}", "text-embedding-3-small"):
        body = api.post("/v1/embeddings", json={"model": model, "input": "a cat"}).json()
        assert [each["embedding"] for each in body["data"]] == [parts.vectors.numbers("a cat")]


def test_base64_is_the_same_numbers(api: Api, parts: Parts) -> None:
    """Packed vectors are 32-bit floats, the lowest byte first."""
    body = api.post("/v1/embeddings", json={"model": MODEL, "input": "a cat", "encoding_format": "base64"}).json()
    raw = b64decode(body["data"][0]["embedding"])

    assert list(struct.unpack(f"<{len(raw) // 4}f", raw)) == parts.vectors.numbers("a cat")
    assert b64decode(in_base64([1.0])) == b"\x00\x00\x80?"


def test_a_long_text_is_read_whole(api: Api) -> None:
    """What stands behind the encoder's window changes the vector, and is counted."""
    long = "the cat sat on the mat . " * 200
    one, other = (
        api.post("/v1/embeddings", json={"model": MODEL, "input": text}).json()
        for text in (long, long + "quarterly revenue fell . " * 100)
    )

    assert one["data"][0]["embedding"] != other["data"][0]["embedding"]
    assert other["usage"]["prompt_tokens"] > one["usage"]["prompt_tokens"] > 512


def test_what_is_left_aside_is_said(api: Api) -> None:
    """Fields that change nothing are listed."""
    answer = api.post("/v1/embeddings", json={"model": MODEL, "input": "a", "user": "u", "mystery": 1})

    assert answer.headers["x-nearloop-ignored"] == "user, other"


@pytest.mark.parametrize(
    ("change", "status", "parameter"),
    [
        ({"input": [1, 2, 3]}, 400, "input"),
        ({"input": [[1, 2], [3]]}, 400, "input"),
        ({"input": []}, 400, "input"),
        ({"input": ["a"] * 2049}, 400, "input"),
        ({"input": ["a", " "]}, 400, "input"),
        ({"input": None}, 400, "input"),
        ({"dimensions": 128}, 400, "dimensions"),
        ({"dimensions": 0}, 400, "dimensions"),
        ({"encoding_format": "int8"}, 400, "encoding_format"),
        ({"model": "text-embedding-ada-002"}, 404, None),
    ],
)
def test_what_cant_be_done_is_refused(api: Api, change: dict[str, Any], status: int, parameter: str | None) -> None:
    """A request that can't be honoured names its field: tokens of another tokenizer, a vector cut short, an empty text."""
    answer = api.post("/v1/embeddings", json={"model": MODEL, "input": "a", **change})

    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["param"] == parameter


def test_its_own_width_is_no_cut(api: Api) -> None:
    """Who asks for the width that there is gets it."""
    assert api.post("/v1/embeddings", json={"model": MODEL, "input": "a", "dimensions": 384}).status_code == 200


def test_who_may_not(api: Api) -> None:
    """It needs the scope that answers need."""
    answer = api.post("/v1/embeddings", json={"model": MODEL, "input": "a"}, headers={"x-api-key": TOKEN})

    assert answer.status_code == 403


def test_without_a_model_the_remedy_is_told() -> None:
    """An installation without the encoder says so."""
    with surfacing(routes, without_models()) as api:
        answer = api.post("/v1/embeddings", json={"model": MODEL, "input": "a"})

    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "signal_model_missing"


@settings(deadline=None, max_examples=40)
@given(
    body=st.dictionaries(
        st.sampled_from(["model", "input", "encoding_format", "dimensions", "user"]),
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=5)
        | st.lists(st.text(max_size=3) | st.integers(), max_size=3),
    )
)
def test_no_body_is_our_fault(api: Api, body: dict[str, Any]) -> None:
    """Whatever is sent, it is an answer or a client's mistake."""
    assert api.post("/v1/embeddings", json={"model": MODEL, "input": "a", **body}).status_code < 500
