"""The formats, in the order in which an answer is held against them: edits may stand in fences."""

from __future__ import annotations

from typing import Final

from daemon.loopers.pieces.base import Format
from daemon.loopers.pieces.fenced import Fenced
from daemon.loopers.pieces.search_replace import SearchReplace
from daemon.loopers.pieces.unified_diff import UnifiedDiff

FORMATS: Final[tuple[Format, ...]] = (SearchReplace(), UnifiedDiff(), Fenced())
