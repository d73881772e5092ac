"""A scaled-down SigLIP of transformers' own, held to torch: it passes, and each planted fault is caught and its layer named."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image

from edge_models.classifiers.base import Weights
from edge_models.classifiers.image_text import ImageTextEncoder
from edge_models.padded_tokenizer import PaddedTokenizer
from edge_models.runtimes.base import Placement
from edge_models.safetensors_file import read_tensors
from edge_models.siglip import SiglipBuilder, SiglipConfig, read_siglip_config
from edge_models.training import vision_parity as parity
from edge_models.training.vision_corpus import drawn
from edge_models.training.vision_parity import VisionReport
from edge_models.vision.preprocess import Preprocessor, Steps, read_preprocessor

pytestmark = [pytest.mark.export, pytest.mark.timeout(600)]
PICTURES = drawn()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.fakes.originals import siglip_original

    return siglip_original(tmp_path_factory.mktemp("original") / "siglip")


@pytest.fixture(scope="module")
def reference(original: Path) -> Any:
    from edge_models.training.vision_reference import SiglipReference

    class Remembering(SiglipReference):
        """It is asked the same again by every test."""

        def __init__(self, directory: Path) -> None:
            super().__init__(directory)
            self._known: dict[tuple[str, bytes], Any] = {}

        def _once(self, what: str, key: bytes, ask: Callable[[], Any]) -> Any:
            if (what, key) not in self._known:
                self._known[what, key] = ask()
            return self._known[what, key]

        def pixels(self, image: Image.Image) -> Any:
            key = image.tobytes() + repr(image.size).encode()
            return self._once("pixels", key, lambda: SiglipReference.pixels(self, image))

        def embed(self, pixels: Any) -> Any:
            return self._once("embed", pixels.tobytes(), lambda: SiglipReference.embed(self, pixels))

        def embed_exact(self, pixels: Any) -> Any:
            return self._once("exact", pixels.tobytes(), lambda: SiglipReference.embed_exact(self, pixels))

        def embed_ids(self, ids: Any) -> Any:
            return self._once("texts", ids.tobytes(), lambda: SiglipReference.embed_ids(self, ids))

        def embed_ids_exact(self, ids: Any) -> Any:
            return self._once("exact texts", ids.tobytes(), lambda: SiglipReference.embed_ids_exact(self, ids))

    return Remembering(original)


class Bench:
    """Ours, with what a test puts in for a part of it."""

    builder: type[SiglipBuilder] = SiglipBuilder

    def __init__(
        self,
        original: Path,
        builder: type[SiglipBuilder] = SiglipBuilder,
        steps: Callable[[Steps], Steps] = lambda steps: steps,
        config: Callable[[SiglipConfig], SiglipConfig] = lambda config: config,
        pad: int | None = None,
    ) -> None:
        self.original = original
        self.config = config(read_siglip_config(original))
        self.tensors = read_tensors(original / "model.safetensors")
        self.builder = builder
        self.preprocessor = Preprocessor(steps(read_preprocessor(original).steps))
        self.tokenizer = PaddedTokenizer(original, self.config.text_config.max_position_embeddings, None)
        if pad is not None:
            self.tokenizer._pad = pad

    def side(self, weights: Weights) -> Any:
        from edge_models.training.vision_compare import OurSiglip

        towers = self.builder(self.config, self.tensors, weights).towers()
        return OurSiglip(ImageTextEncoder(towers, self.config, self.preprocessor, self.tokenizer, Placement(threads=2)))


def found(reference: Any, bench: Bench, weights: Weights = "half", pictures: Any = PICTURES) -> VisionReport:
    from edge_models.training.vision_compare import compared

    return compared("tiny", weights, (reference, bench.side(weights), bench.side("float")), pictures)


@pytest.mark.parametrize("weights", ["float", "half"])
def test_the_production_path_is_the_reference(weights: Weights, original: Path, reference: Any) -> None:
    """From files of every kind to vectors: pixels bit for bit, the graph within the reference's own rounding."""
    report = found(reference, Bench(original), weights)

    assert report.passed, parity.table(report)
    assert report.corpus.least > 0.99999
    worst = {layer.layer: layer.worst for layer in report.layers}
    assert worst[parity.PREPROCESSING] == 0
    assert worst[parity.GRAPH] < 4
    assert report.probe
    assert (report.probe.labels, report.probe.clear) == (21, 0)


class MeanPooled(SiglipBuilder):
    """The mean of the patches instead of the head."""

    def pooled(self, hidden: Any) -> Any:
        return self._op.reduce_mean(hidden, self._whole(1), False)


class FirstPatch(SiglipBuilder):
    """The first patch instead of the head, as if it were a CLS token."""

    def pooled(self, hidden: Any) -> Any:
        return self._op.gather(hidden, self._op.constant(0), self._op.constant(1))


class NoLastNorm(SiglipBuilder):
    """Patches go to the head as the last layer leaves them."""

    def _norm(self, name: str, value: Any, config: Any) -> Any:
        return value if name == "vision_model.post_layernorm" else super()._norm(name, value, config)


class NoTextNorm(SiglipBuilder):
    """The same of texts."""

    def _norm(self, name: str, value: Any, config: Any) -> Any:
        return value if name == "text_model.final_layer_norm" else super()._norm(name, value, config)


class HeadWithoutResidual(SiglipBuilder):
    """The head's two matrices, and nothing beside them."""

    def pooled(self, hidden: Any) -> Any:
        whole = super().pooled(hidden)
        added = whole.input_value(0).get_node()
        return self._op.reshape(added.input_value(1), self._whole(1, -1), False)


@pytest.mark.parametrize("builder", [MeanPooled, FirstPatch, NoLastNorm, HeadWithoutResidual])
def test_a_wrong_graph_is_caught(builder: type[SiglipBuilder], original: Path, reference: Any) -> None:
    """It is the graph that errs, not what is done to pixels; the cosine shows it too."""
    report = found(reference, Bench(original, builder))
    assert {parity.GRAPH, parity.WHOLE} <= set(report.errs)
    assert not {parity.DECODING, parity.PREPROCESSING, parity.TEXT_GRAPH, parity.TOKENS} & set(report.errs)


def _other_gelu(config: SiglipConfig) -> SiglipConfig:
    return replace(config, vision_config=replace(config.vision_config, hidden_act="gelu"))


def test_another_gelu_is_caught(original: Path, reference: Any) -> None:
    """The exact GELU for the one in tanh differs by a millionth of a cosine, which a bar on cosines never sees."""
    report = found(reference, Bench(original, config=_other_gelu))
    assert report.errs == (parity.GRAPH,)
    assert report.corpus.least > parity.FLOOR


def _without_normalisation(steps: Steps) -> Steps:
    return replace(steps, mean=None, std=None)


def _bilinear(steps: Steps) -> Steps:
    return replace(steps, resample=int(Image.Resampling.BILINEAR))


def _blue_first(steps: Steps) -> Steps:
    return replace(steps, flip=True)


def _cropped(steps: Steps) -> Steps:
    return replace(steps, size={"height": 80, "width": 80}, crop=(70, 70))


@pytest.mark.parametrize("steps", [_without_normalisation, _bilinear, _blue_first, _cropped])
def test_wrong_numbers_are_caught(steps: Callable[[Steps], Steps], original: Path, reference: Any) -> None:
    """It is the preprocessing that errs, not the decoder or the graph; and it matters to vectors."""
    report = found(reference, Bench(original, steps=steps))
    assert {parity.PREPROCESSING, parity.WHOLE} <= set(report.errs)
    assert not {parity.DECODING, parity.GRAPH, parity.WEIGHTS} & set(report.errs)


def test_exif_ignored_is_caught(original: Path, reference: Any) -> None:
    """A decoder that doesn't turn pictures errs at each of the seven that are to be turned, and nothing else does."""
    from edge_models.training.vision_compare import OurSiglip, sights

    class Lying(OurSiglip):
        def upright(self, data: bytes) -> Image.Image:
            image = Image.open(BytesIO(data))
            return super().upright(data) if image.has_transparency_data else image.convert("RGB")

    ours = Lying(Bench(original).side("half")._encoder)
    seen = sights(reference, ours, None, PICTURES)
    report = parity.report("tiny", "half", seen)

    assert {parity.DECODING, parity.WHOLE} <= set(report.errs)
    assert not {parity.PREPROCESSING, parity.WEIGHTS} & set(report.errs)
    wrong = {each.name for each in seen if each.grey_levels > parity.GREY_LEVELS}
    assert wrong == {f"EXIF orientation {number}" for number in range(2, 9)}


def test_wrong_texts_are_caught(original: Path, reference: Any) -> None:
    """Padding with another token is the tokenizer's fault; a norm left out is the graph's."""
    padded = found(reference, Bench(original, pad=1), pictures=PICTURES[:4])
    assert parity.TOKENS in padded.errs
    assert not {parity.TEXT_GRAPH, parity.GRAPH, parity.WHOLE} & set(padded.errs)
    unlike = found(reference, Bench(original, NoTextNorm), pictures=PICTURES[:4])
    assert parity.TEXT_GRAPH in unlike.errs
    assert not {parity.TOKENS, parity.GRAPH} & set(unlike.errs)


def test_too_few_bits_are_told_from_a_wrong_graph(original: Path, reference: Any) -> None:
    """Weights of 5 bits fail by their cosine while the graph itself is right."""

    class Coarse(SiglipBuilder):
        def _kept(self, matrix: Any) -> Any:
            if self._weights == "float":
                return super()._kept(matrix)
            step = abs(matrix).max(axis=1, keepdims=True) / 15
            return self._op.constant((matrix / step).round() * step)

    report = found(reference, Bench(original, Coarse), "int8")
    assert parity.WEIGHTS in report.errs
    assert not {parity.GRAPH, parity.DECODING, parity.PREPROCESSING} & set(report.errs)
