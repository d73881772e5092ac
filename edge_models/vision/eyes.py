"""The eyes: from a file's bytes to what is seen in it, and to the picture that may leave."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import cv2
import numpy as np

from edge_models.engines.base import Broken, NotInstalled
from edge_models.vision import models
from edge_models.vision.detail import detail
from edge_models.vision.documents import is_pdf, pages_of
from edge_models.vision.explicit import Explicit
from edge_models.vision.file_kinds import FileKinds
from edge_models.vision.ipc import Paint, Painted, Want
from edge_models.vision.limits import TWO_FORMATS, UNKNOWN, Limits, Unseeable
from edge_models.vision.painting import painted
from edge_models.vision.pixels import Upright, opened
from edge_models.vision.reader import Reader
from edge_models.vision.reading_order import in_order
from edge_models.vision.seen import KindReader, Seen, SeenLine
from edge_models.vision.text_files import text_of

_OWN: Final = "identity_document"
_CLEAR: Final = 0.95
"""How sure a line has to be to be read well. Letters of other alphabets are dropped, or come out at .7 to .9."""


class Eyes:
    """Every network that looks, opened once."""

    def __init__(self, limits: Limits, threads: int, kinds: KindReader | None = None) -> None:
        """Raises NotInstalled, Unavailable."""
        self._limits = limits
        self._reader = Reader(models.checked(models.FINDER), models.checked(models.READER), threads)
        self._explicit = _explicit(threads)
        self._file_kinds = FileKinds()
        self._kinds = kinds

    @property
    def able(self) -> frozenset[Want]:
        """What can be told of pictures."""
        able: set[Want] = {"words", "detail"}
        if self._explicit:
            able.add("explicit")
        if self._kinds:
            able.add("kinds")
        return frozenset(able)

    def look(self, data: bytes, wants: Collection[Want]) -> Seen:
        """Look at a file. Raises Unseeable, Broken."""
        try:
            return self._seen(data, wants)
        except (RuntimeError, cv2.error) as error:  # OpenVINO's, OpenCV's
            raise Broken("a network failed on a picture") from error

    def _seen(self, data: bytes, wants: Collection[Want]) -> Seen:
        try:
            picture = opened(data, self._limits)
        except Unseeable as error:
            if error.code != UNKNOWN:
                raise
        else:
            if is_pdf(data):  # who else reads it may take it for the other
                raise Unseeable(TWO_FORMATS)
            return self._picture(picture, wants)
        if is_pdf(data):
            return self._document(data, wants)
        if not data:
            raise Unseeable(UNKNOWN)
        kind = self._file_kinds.kind(data)
        return Seen(form=kind.name, text=text_of(data, kind.text))

    def _document(self, data: bytes, wants: Collection[Want]) -> Seen:
        """Kinds and the like are those of the page that is likeliest to be a document of somebody's own."""
        texts, count, told, explicit, details = [], -1, None, None, [0.0]
        for page in pages_of(data, self._limits):
            count += 1  # the first one is its description
            texts.append(page.text)
            if page.image is None:
                continue
            words, lines = self._read(page.image, count, 0) if "words" in wants else ("", ())
            texts.append(words)
            if "detail" in wants:
                details.append(detail(page.image))
            if self._explicit and "explicit" in wants:
                explicit = max(explicit or 0.0, self._explicit.score(page.image))
            if self._kinds and "kinds" in wants:
                kinds = self._kinds.read(page.image, words, self._written(words), _clear(words, lines))
                if told is None or kinds.kinds.get(_OWN, 0) > told.kinds.get(_OWN, 0):
                    told = kinds
        return Seen(
            form="pdf",
            pages=count,
            text="\n".join(filter(None, texts)) if "words" in wants else "",
            kinds=told.kinds if told else {},
            things=told.things if told else {},
            explicit=explicit,
            detail=max(details) if "detail" in wants else None,
        )

    def paint(self, ask: Paint) -> Painted:
        """Make a picture anew. Raises Unseeable."""
        seen = opened(ask.data, self._limits)
        data, form, width, height = painted(seen.image, ask.boxes, seen.form, ask.max_side, ask.form)
        return Painted(ask.id, data, form, width, height)

    def _picture(self, seen: Upright, wants: Collection[Want]) -> Seen:
        text, lines = self._words(seen) if "words" in wants else ("", ())
        told = None
        if self._kinds and "kinds" in wants:
            told = self._kinds.read(seen.image, text, self._written(text), _clear(text, lines))
        return Seen(
            form=seen.form,
            width=seen.image.width,
            height=seen.image.height,
            pages=seen.frames,
            text=text,
            lines=lines,
            kinds=told.kinds if told else {},
            things=told.things if told else {},
            explicit=self._explicit.score(seen.image) if self._explicit and "explicit" in wants else None,
            detail=detail(seen.image) if "detail" in wants else None,
        )

    def _written(self, words: str) -> str:
        """What kind of file the words of a picture would be."""
        return self._file_kinds.kind(words.encode()).name if words else ""

    def _words(self, seen: Upright) -> tuple[str, tuple[SeenLine, ...]]:
        """Of all frames that differ, one after the other."""
        text: str = ""
        lines: tuple[SeenLine, ...] = ()
        for number, image in ((0, seen.image), *seen.others):
            more, where = self._read(image, number, len(text) + bool(text))
            text = f"{text}\n{more}" if text and more else text or more
            lines += where
        return text, lines

    def _read(self, image: Any, page: int, start: int) -> tuple[str, tuple[SeenLine, ...]]:
        return in_order(self._reader.read(np.asarray(image)), page, start)


def _clear(text: str, lines: Iterable[SeenLine]) -> str:
    """Of the words those of lines that were read well: what is written in letters that nobody reads here is not."""
    return "\n".join(text[line.start : line.end] for line in lines if line.sure >= _CLEAR)


def _explicit(threads: int) -> Explicit | None:
    try:
        return Explicit(models.checked(models.EXPLICIT), threads)
    except NotInstalled:
        return None
