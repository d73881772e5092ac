"""Words of a PDF: those that it says, and those that its pages show.

A page's own text is read where it has one; a page without, with pictures on it, or with fields to fill in is drawn and read
as a picture is. Title, author, subject and keywords count as words, and so do notes and addresses of links. What can't be
looked into makes the whole document unseeable: a password, files attached to it, forms that only their maker's program
draws. Streams that no page shows (XMP, hidden objects) are not read.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, Final, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from edge_models.vision.limits import BROKEN, ENCRYPTED, FOREIGN_FORM, HOLDS_FILES, TOO_MANY_PAGES, Limits, Unseeable

_HEAD_BYTES: Final = 1024
"""A PDF begins somewhere in here, as readers take it."""
_SCALE: Final = 2.0
"""144 pixels an inch: letters of 8 points are 16 pixels high."""
_LONGEST_PX: Final = 1800
_ODD_SHARE: Final = 0.1
"""From so many characters on that are none, a text comes from a font that doesn't say what it draws."""
_DESCRIPTION: Final = ("Title", "Author", "Subject", "Keywords")
_MOST_NOTES: Final = 1000


class PageSeen(NamedTuple):
    """A page. image: how it looks, RGB, where its own text doesn't tell all; None: it does."""

    text: str
    image: Any


def is_pdf(data: bytes) -> bool:
    """Whether a reader would take it for one."""
    return b"%PDF-" in data[:_HEAD_BYTES]


def pages_of(data: bytes, limits: Limits) -> Iterator[PageSeen]:
    """What its description says, without an image; then its pages. Raises Unseeable."""
    try:
        with closing(pypdfium2.PdfDocument(data)) as document:
            yield from _pages(document, limits)
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", None) in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
        raise Unseeable(ENCRYPTED if locked else BROKEN) from error


def _pages(document: Any, limits: Limits) -> Iterator[PageSeen]:
    count = len(document)
    if count > limits.pages:
        raise Unseeable(TOO_MANY_PAGES)
    if not count:
        raise Unseeable(BROKEN)
    if document.count_attachments():
        raise Unseeable(HOLDS_FILES)
    form = document.get_formtype()
    if form in (pdfium.FORMTYPE_XFA_FULL, pdfium.FORMTYPE_XFA_FOREGROUND):
        raise Unseeable(FOREIGN_FORM)
    if form != pdfium.FORMTYPE_NONE:
        document.init_forms()
    yield PageSeen("\n".join(filter(None, map(document.get_metadata_value, _DESCRIPTION))), None)
    for number in range(count):
        with closing(document[number]) as page:
            yield _page(document, page, drawn=form != pdfium.FORMTYPE_NONE)


def _page(document: Any, page: Any, drawn: bool) -> PageSeen:
    with closing(page.get_textpage()) as words:
        text = words.get_text_range().replace("\r\n", "\n").strip()
    notes = [*_notes(document, page)]
    drawn = drawn or bool(notes) or not text or _is_odd(text) or _shows_pictures(page)
    image = _image(page) if drawn else None
    return PageSeen("\n".join(filter(None, (text, *notes))), image)


def _image(page: Any) -> Any:
    width, height = page.get_size()
    if not 0 < min(width, height) <= max(width, height) < 1e6:
        raise Unseeable(BROKEN)
    scale = min(_SCALE, _LONGEST_PX / max(width, height))
    with closing(page.render(scale=scale)) as bitmap:
        return bitmap.to_pil().convert("RGB")


def _shows_pictures(page: Any) -> bool:
    return next(page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=8), None) is not None


def _is_odd(text: str) -> bool:
    odd = sum(unicodedata.category(sign) in ("Co", "Cn", "Cs") or sign in "\ufffd\ufffe" for sign in text)
    return odd > _ODD_SHARE * len(text)


def _notes(document: Any, page: Any) -> Iterator[str]:
    """What notes say, and where links lead."""
    for place in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MOST_NOTES)):
        annotation = pdfium.FPDFPage_GetAnnot(page, place)
        if not annotation:
            continue
        try:
            for key in (b"Contents", b"T", b"RC", b"V"):
                yield _wide(partial(pdfium.FPDFAnnot_GetStringValue, annotation, key))
            link = pdfium.FPDFAnnot_GetLink(annotation)
            action = pdfium.FPDFLink_GetAction(link) if link else None
            if action:
                yield _narrow(partial(pdfium.FPDFAction_GetURIPath, document, action))
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _wide(get: Callable[[Any, int], int]) -> str:
    size = get(None, 0)
    room = ctypes.create_string_buffer(size)
    get(ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort)), size)
    return room.raw.decode("utf-16-le", "replace").rstrip("\0")


def _narrow(get: Callable[[Any, int], int]) -> str:
    size = get(None, 0)
    room = ctypes.create_string_buffer(size)
    get(room, size)
    return room.raw.decode("utf-8", "replace").rstrip("\0")
