"""Telephone numbers in national forms that no word needs to name: Germany, Spain, Britain, Japan, Korea, China.

A form counts by itself if its groups are those of one country alone and it begins as its numbers do; plain digits count
beside letters of that country's script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.phones import LABEL
from daemon.signals.windows import Windows

_FREE: Final = r"(?<![\w.+\-/=#])"
_ENDS: Final = r"(?![\w=@]|[-./]\d)"
_EVERYWHERE: Final = re.compile(
    rf"{_FREE}(?:0\d{{2,4}} ?/ ?\d{{2,4}}(?:[ -]\d{{2,4}}){{0,3}}|\(0\d{{2,4}}\) ?\d{{3,5}}[ -]\d{{2,4}}"
    rf"(?:[ -]\d{{2,4}})?|0[1-9]\d{{1,3}}-\d{{4,5}} \d{{2,4}}|"
    rf"[67]\d\d \d\d \d\d \d\d|9\d\d \d\d \d\d \d\d|0\d{{3}} \d{{3}} \d{{4}}|01[0-9]-\d{{3,4}}-\d{{4}}|"
    rf"0[789]0-\d{{4}}-\d{{4}}|0\d{{1,3}}-\d{{3,4}}-\d{{4}}){_ENDS}"
)
_WITH_HAN: Final = re.compile(
    rf"(?<![\w.+\-/=#])(?:1[3-9]\d{{9}}|0\d{{2,3}}-\d{{7,8}}|0\d{{2,3}}-\d{{4}} \d{{4}}|"
    rf"1[3-9]\d [0-9]{{4}} [0-9]{{4}}){_ENDS}"
)
_CORES: Final = (
    *(
        b"00/00",
        b"00 / 00",
        b"00/ 00",
        b"00 /00",
        b"(00",
        b"000-0000",
        b"000-00000",
        b" 00 00 00",
        b"-00000 00",
        b"000 000 0000",
    ),
)
_HAN_CORES: Final = (b"0" * 11, b"0-0000000", b"0-0000 0000", b"000 0000 0000")


def phones_abroad(text: str, windows: Windows, unspaced: bool) -> Iterator[Found]:
    """windows: of the text. unspaced: whether there are scripts in it that put no blanks between words."""
    for start, end in windows.holding(_CORES):
        for hit in _EVERYWHERE.finditer(text, start, end):
            yield Found(*hit.span(), LABEL)
    if unspaced:
        for start, end in windows.holding(_HAN_CORES):
            for hit in _WITH_HAN.finditer(text, start, end):
                yield Found(*hit.span(), LABEL)
