"""The logs that can be read. Aider comes last: its files lie in projects, and the others name those."""

from __future__ import annotations

from typing import Final

from daemon.auditing.base import Format
from daemon.auditing.formats.aider import AIDER
from daemon.auditing.formats.claude_code import CLAUDE_CODE
from daemon.auditing.formats.codex import CODEX
from daemon.auditing.formats.continue_dev import CONTINUE
from daemon.auditing.formats.litellm import LITELLM

FORMATS: Final[dict[str, Format]] = {format.name: format for format in (CLAUDE_CODE, CODEX, CONTINUE, LITELLM, AIDER)}
