"""Files of `NAME=value` lines, as programs read them beside their settings."""

from __future__ import annotations

import re

from daemon.connecting.merging import line_end, splice


def merge_env(text: str, wanted: dict[str, str]) -> str:
    """The text with these lines in it. Of a name that is there twice, the last line counts."""
    for name, value in wanted.items():
        found = list(re.finditer(rf"^[ \t]*(?:export[ \t]+)?{re.escape(name)}[ \t]*=([^\r\n]*)", text, re.MULTILINE))
        if found:
            text = splice(text, found[-1].start(1), found[-1].end(1), value)
        else:
            between = line_end(text) if text and not text.endswith("\n") else ""
            text += f"{between}{name}={value}{line_end(text)}"
    return text
