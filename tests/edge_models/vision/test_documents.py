"""Words of a PDF."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterator
from typing import Any

import pytest

from edge_models.vision.limits import Limits, Unseeable
from edge_models.vision.process import EyesProcess
from tests.fakes.drawn import note, saved

pypdfium2 = pytest.importorskip("pypdfium2")
pytest.importorskip("rapidocr")
raw: Any = pypdfium2.raw


def written(*pages: str, attached: bool = False, said: str = "") -> bytes:
    """A PDF with pages of words, as a word processor would write them. said: in a note on the first."""
    document = pypdfium2.PdfDocument.new()
    for words in pages:
        page = document.new_page(400, 300)
        font = raw.FPDFText_LoadStandardFont(document, b"Helvetica")
        for row, line in enumerate(words.split("\n")):
            text = raw.FPDFPageObj_CreateTextObj(document, font, 14)
            wide = (line + "\0").encode("utf-16-le")
            raw.FPDFText_SetText(text, ctypes.cast(ctypes.create_string_buffer(wide), ctypes.POINTER(ctypes.c_ushort)))
            raw.FPDFPageObj_Transform(text, 1, 0, 0, 1, 30, 250 - 30 * row)
            raw.FPDFPage_InsertObject(page, text)
        if said:
            annotation = raw.FPDFPage_CreateAnnot(page, raw.FPDF_ANNOT_TEXT)
            wide = (said + "\0").encode("utf-16-le")
            buffer = ctypes.cast(ctypes.create_string_buffer(wide), ctypes.POINTER(ctypes.c_ushort))
            raw.FPDFAnnot_SetStringValue(annotation, b"Contents", buffer)
            raw.FPDFPage_CloseAnnot(annotation)
        page.gen_content()
    if attached:
        document.new_attachment("a.txt").set_data(b"words")
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


@pytest.fixture(scope="module")
def eyes() -> Iterator[EyesProcess]:
    process = EyesProcess(limits=Limits(pages=5))
    yield process
    process.close()


def code(eyes: EyesProcess, data: bytes) -> str:
    with pytest.raises(Unseeable) as caught:
        eyes.look(data, ("words",))
    return caught.value.code


def test_its_own_text(eyes: EyesProcess) -> None:
    """Pages' words, in their order; where they stand is not told, since nothing could be painted over."""
    seen = eyes.look(written("Dear Mrs Miller,\nkey: hunter2", "page two"))
    assert seen.text == "Dear Mrs Miller,\nkey: hunter2\npage two"
    assert (seen.form, seen.pages, seen.lines, seen.width) == ("pdf", 2, (), 0)


def test_scanned(eyes: EyesProcess) -> None:
    """A page that is a picture is read as one, and what its description says counts as words."""
    data = saved(note(["Dear Mrs Miller,", "key: hunter2"]), "PDF", title="To the board", author="Anna Keller")
    seen = eyes.look(data)
    assert {"To the board", "Anna Keller", "Dear Mrs Miller,", "key: hunter2"} <= set(seen.text.split("\n"))
    assert seen.detail


def test_notes(eyes: EyesProcess) -> None:
    """What a note says is read too."""
    assert "the secret is 4711" in eyes.look(written("hello", said="the secret is 4711"), ("words",)).text


def test_attached_files(eyes: EyesProcess) -> None:
    """A document with files in it is not seen as its pages alone."""
    assert code(eyes, written("hello", attached=True)) == "holds-files"


def test_too_many_pages(eyes: EyesProcess) -> None:
    """A longer one is not read in part."""
    assert code(eyes, written(*["a"] * 6)) == "too-many-pages"


def test_encrypted(eyes: EyesProcess) -> None:
    """One with a password can't be read (made by qpdf's rules: a trailer that names a filter that nobody has the key of)."""
    data = written("hello").replace(
        b"/Root",
        b"/Encrypt <</Filter/Standard/V 1/R 2/O("
        + b"a" * 32
        + b")/U("
        + b"b" * 32
        + b")/P -4>>/ID[(aaaaaaaaaaaaaaaa)(aaaaaaaaaaaaaaaa)]/Root",
        1,
    )
    assert code(eyes, data) == "encrypted"


def test_damaged(eyes: EyesProcess) -> None:
    """Any truncation or change is a document or unseeable, and the process lives."""
    data = written("Dear Mrs Miller", "b")
    eyes.look(data, ())
    before = eyes.pid
    for end in range(5, len(data), max(1, len(data) // 25)):
        for broken in (data[:end], data[:end] + b"\xff\x00" + data[end + 2 :]):
            try:
                eyes.look(broken, ())
            except Unseeable as error:
                assert error.code in ("broken", "encrypted", "unknown-format", "holds-files")
    assert eyes.pid == before


def test_two_formats_at_once(eyes: EyesProcess) -> None:
    """What one reader takes for a picture and another one for a document is neither."""
    picture = saved(note(["hello"]), "GIF")
    comment = b"\x21\xfe\x09%PDF-1.7\n\x00"
    head = 13 + 3 * (2 << (picture[10] & 7))
    assert code(eyes, picture[:head] + comment + picture[head:]) in ("two-formats", "holds-files")


def test_text_files(eyes: EyesProcess) -> None:
    """Files of text are their words; archives stay unseen."""
    seen = eyes.look(b"name,phone\nAnna Keller,+49 30 1234567\nMarco Rossi,+39 06 1234567\n")
    assert (seen.form, seen.lines) == ("csv", ())
    assert "Anna Keller" in seen.text
    assert code(eyes, b"PK\x03\x04" + bytes(200)) == "unknown-format"
