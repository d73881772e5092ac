"""The kind of a picture, by the shipped model."""

import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from edge_models.engines.base import Unavailable
from edge_models.training.pictures import charts, identity, papers, screens
from edge_models.training.pictures.pen import Pen
from edge_models.vision import file_kinds
from edge_models.vision.file_kinds import FileKinds
from edge_models.vision.kinds import CUES, FILE, HEAD, PROGRAMS, KindReader, has_machine_lines, inputs_of, read_manifest
from providers.contract import PICTURE_KINDS

MODEL = Path(__file__).parents[3] / "assets" / "models" / "pictures"
ZONE = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"


@pytest.fixture(scope="module")
def reader() -> KindReader:
    return KindReader(MODEL)


def test_the_kinds_are_those_of_the_contract() -> None:
    """The head's labels are the neutral model's kinds, in their order."""
    assert read_manifest(MODEL).labels == PICTURE_KINDS


@pytest.mark.parametrize(
    ("draw", "kind"),
    [
        (identity.passport, "identity_document"),
        (identity.licence, "identity_document"),
        (papers.receipt, "receipt"),
        (papers.article, "document"),
        (screens.code, "code_screenshot"),
        (charts.bars, "chart"),
        (screens.phone, "ui"),
    ],
)
def test_a_drawn_picture_is_known(reader: KindReader, draw: object, kind: str) -> None:
    """Pictures that weren't learned from are known, with probabilities that sum to one."""
    found = [reader.read(draw(Pen(f"unseen {number}"))).kinds for number in range(5)]  # type: ignore[operator]
    assert sum(next(iter(each)) == kind for each in found) >= 4
    assert all(abs(sum(each.values()) - 1) < 0.002 for each in found)


def test_identity_documents_pass_the_low_threshold(reader: KindReader) -> None:
    """Cards and passports are above it, pages and charts below."""
    cards = [reader.read(identity.card(Pen(f"card {number}"))).kinds["identity_document"] for number in range(8)]
    pages = [reader.read(papers.letter(Pen(f"page {number}"))).kinds["identity_document"] for number in range(8)]
    assert min(cards) >= reader.identity_threshold
    assert sorted(pages)[-2] < reader.identity_threshold


def test_machine_readable_lines_settle_it(reader: KindReader) -> None:
    """A photograph too poor to know, in which OCR read a passport's lines, is an identity document."""
    poor = Image.new("RGB", (300, 200), (120, 118, 110))
    before, after = reader.read(poor).kinds, reader.read(poor, f"some words\n{ZONE}\n").kinds
    assert after["identity_document"] > before["identity_document"]
    assert after["identity_document"] >= reader.identity_threshold


@pytest.mark.parametrize(
    ("text", "there"),
    [
        (ZONE, True),
        (ZONE.lower(), True),
        (ZONE.replace("<<<", "< <<"), True),
        (ZONE.splitlines()[0], False),
        ("template<typename T, typename U>\nstruct pair<T, U> { T first; };", False),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB", False),
        ("", False),
    ],
)
def test_machine_readable_lines_are_told_from_text(text: str, there: bool) -> None:
    """Two in a row, with fillers, whatever the case and the blanks."""
    assert has_machine_lines(text) is there


PROGRAM = """static int count(struct list *all) {
    int found = 0;
    for (struct item *at = all->first; at; at = at->next)
        found++;
    return found;
}
"""


@pytest.mark.parametrize(
    ("text", "is_code"), [(PROGRAM, True), ("Dear Ms Keller,\nthank you for your letter of May." * 3, False)]
)
def test_words_that_are_a_program_raise_code(reader: KindReader, text: str, is_code: bool) -> None:
    """A photograph of a screen with code on it is one of code, too."""
    written = FileKinds().kind(text.encode()).name
    logits = np.zeros(len(reader.manifest.labels))
    before, after = reader.probabilities(logits), reader.probabilities(logits, text, written)

    assert (after["code_screenshot"] > 5 * before["code_screenshot"]) == is_code
    assert reader.probabilities(logits, "x = 1", "python") == before  # too few words to tell


PAGE = "Please write to Jane Keller before Friday\nThe quarterly numbers look good"


@pytest.mark.parametrize(
    ("text", "clear", "lowered"),
    [
        (PAGE, PAGE, True),
        (PAGE, "Please write", False),
        (PAGE + "\nDate de naissance 12.03.1985", PAGE, False),
        (PAGE + "\nP<UTOERIKSSON<<ANNA<<<", PAGE, False),
    ],
    ids=["a page", "hardly read", "a date of birth", "a part of a zone"],
)
def test_words_that_say_nothing_of_identity_lower_it(reader: KindReader, text: str, clear: str, lowered: bool) -> None:
    """Only where enough was read well, and nothing that stands on such documents."""
    logits = np.zeros(len(reader.manifest.labels))
    before, after = reader.probabilities(logits), reader.probabilities(logits, text, "", clear)

    assert (after["identity_document"] < before["identity_document"] / 4) == lowered
    assert (after["identity_document"] < before["identity_document"]) == lowered


def test_programs_have_names_that_are_told() -> None:
    """No name is misspelt."""
    known = msgspec.json.decode((file_kinds.folder() / "kinds.json").read_bytes())
    assert {*known["labels"], *known["overwritten"].values()} >= PROGRAMS


def test_things_are_told_of_photographs_only(reader: KindReader) -> None:
    """What is plainly a page has no things in it."""
    assert reader.read(papers.article(Pen("page"))).things == {}


@pytest.mark.parametrize("size", [(1, 1), (1, 3000), (3000, 1), (7, 224), (2000, 1500)])
def test_any_size_is_read(reader: KindReader, size: tuple[int, int]) -> None:
    """The thinnest and the smallest pictures too."""
    assert set(reader.read(Image.new("RGB", size, (200, 10, 10))).kinds) == set(PICTURE_KINDS)


def test_cues_are_bounded() -> None:
    """However thin a picture is, its form says no more than a factor of seven."""
    assert np.array_equal(inputs_of(np.zeros(1280, np.float32), 1, 5000)[-CUES:], np.array([-2, 2], np.float32))


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    """One that isn't what the manifest says isn't opened."""
    shutil.copytree(MODEL, tmp_path / "model")
    with (tmp_path / "model" / "openvino_model.bin").open("r+b") as file:
        file.seek(1000)
        file.write(b"\1\2\3\4\5\6\7\x08")
    with pytest.raises(Unavailable, match=r"openvino_model\.bin"):
        KindReader(tmp_path / "model")


@pytest.mark.parametrize("damage", [b"{}", b"\xff", b'{"version": 1, "labels": ["a"]}'])
def test_a_damaged_manifest_is_refused(tmp_path: Path, damage: bytes) -> None:
    """What isn't a manifest is named as that."""
    (tmp_path / FILE).write_bytes(damage)
    with pytest.raises(Unavailable, match="missing or damaged"):
        read_manifest(tmp_path)


def test_a_head_of_other_labels_is_refused(tmp_path: Path) -> None:
    """A manifest with a label more doesn't fit the head's columns."""
    shutil.copytree(MODEL, tmp_path / "model")
    raw = msgspec.json.decode((MODEL / FILE).read_bytes())
    raw["labels"].append("more")
    (tmp_path / "model" / FILE).write_bytes(msgspec.json.encode(raw))
    with pytest.raises(Unavailable, match="don't belong together"):
        KindReader(tmp_path / "model")


def test_a_head_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    """Pickles in it are not run either: numpy refuses them."""
    shutil.copytree(MODEL, tmp_path / "model")
    np.savez(tmp_path / "model" / HEAD, weights=np.array([object()], dtype=object), mean=1, scale=1, bias=1)
    raw = msgspec.json.decode((MODEL / FILE).read_bytes())
    raw["files"].pop(HEAD)
    (tmp_path / "model" / FILE).write_bytes(msgspec.json.encode(raw))
    with pytest.raises(Unavailable, match="head is damaged"):
        KindReader(tmp_path / "model")
