"""Where a tool call of an answer leads: into the user's files, or to anywhere.

An answer from elsewhere that puts an alias into a call has the client carry the value there. In a file of the user's it was
before; a shell, a request over the network, or a tool that nobody here knows can carry it out again. So secrets are turned
back for tools alone that are known to read and write files, by the names that coding agents give them.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Sink = Literal["files", "anywhere"]

_NAMES: Final = """
    applydiff applyedit applypatch codebasesearch createfile createnewfile deletefile edit editexistingfile editfile
    editnotebook editnotebookfile filesearch filesearchreplace findandreplace findandreplacecode glob globsearch grep
    grepsearch insertcontent inserteditintofile insertintofile listcodedefinitionnames listdir listdirectory listfiles
    ls multiedit multireplacestringinfile notebookedit notebookread patch read readcurrentlyopenfile readfile
    readfilerange readmanyfiles readmultiplefiles readnotebook replace replaceinfile replacestringinfile rewritefile
    searchandreplace searchfiles searchreplace singlefindandreplace strreplace strreplacebasededittool
    strreplaceeditor todoread todowrite undoedit updatefile view viewfile viewimage viewsubdirectory write writefile
    writetofile
"""
"""As Claude Code, Codex, OpenCode, Cline, Roo Code, Continue, Zed, VS Code, Gemini CLI and Aider call theirs, and
Anthropic's text editor; small letters alone."""
_MARKS: Final = re.compile(r"(?<=[^_])_(?=[^_])|-")
_FILES: Final = frozenset(_NAMES.split())


def sink_of(tool: str) -> Sink:
    """Where a call of this tool leads. A server's prefix (`mcp__notes__write`) makes it one that nobody knows."""
    return "files" if _MARKS.sub("", tool).lower().removeprefix("builtin") in _FILES else "anywhere"
