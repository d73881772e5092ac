"""Tools of coding agents, by name, and what they do.

As Claude Code, Codex, OpenCode, Cline, Roo Code, Continue, Zed, VS Code with Copilot, Cursor, Windsurf and Gemini CLI call
theirs, and Anthropic's text editor and shell (their published tool lists). A tool that keeps the agent's own list or plan
changes nothing of the user's, and reads.
"""

from __future__ import annotations

import re
from typing import Final

from daemon.settings import Effect
from daemon.tools.tables import by_word, listed

_MARKS: Final = re.compile(r"[_\-.]")
_READ: Final = """
    askfollowupquestion askuser askuserquestion attemptcompletion bashoutput codebasesearch diagnostics enterplanmode
    exitplanmode fetchrules filesearch findpath getchangedfiles geterrors getterminaloutput glob globfilesearch
    globsearch grep grepsearch listcodedefinitionnames listcodeusages listdir listdirectory listfiles listmcpresources
    ls lsp notebookread now open planmoderespond read readcurrentlyopenfile readfile readfilerange readlints
    readmanyfiles readmcpresource readmultiplefiles readnotebook requestuserinput searchfiles semanticsearch switchmode
    taskoutput testsearch think thinking todoread todowrite updateplan updatetodolist usages view viewcodeitem viewdiff
    viewfile viewimage viewrepomap viewsubdirectory
"""
_WRITE: Final = """
    applydiff applyedit applypatch copypath createdirectory createfile createnewfile createnewjupyternotebook edit
    editexistingfile editfile editnotebook editnotebookfile findandreplace findandreplacecode insertcontent
    inserteditintofile insertintofile memory movepath multiedit multireplacestringinfile notebookedit patch replace
    replacefilecontent replaceinfile replacestringinfile rewritefile savememory searchandreplace searchreplace
    singlefindandreplace strreplace strreplacebasededittool strreplaceeditor undoedit updatefile updatememory write
    writefile writetofile
"""
_EXECUTE: Final = """
    agent codeinterpreter delegatetask executepython killbash killshell newtask python repl runnotebookcell
    runslashcommand runsubagent runtask runtests runvscodecommand skill slashcommand spawnagent startsubagent task
    terminalselection usemcptool writestdin
"""
_NETWORK: Final = """
    accessmcpresource browseraction fetch fetchurl fetchwebpage githubrepo googlewebsearch openbrowserpage
    opensimplebrowser readurlcontent searchweb viewwebdocumentcontentchunk webfetch websearch
"""
_IRREVERSIBLE: Final = "deletefile deletepath removefile"
SHELLS: Final = listed("""
    bash cmd execcommand executecommand localshell localshellcall powershell runcommand runinterminal runshellcommand
    runterminalcmd runterminalcommand shell shellcommand terminal
    """)
"""Those whose command tells what they do."""
ANYTHING: Final = SHELLS | listed(_EXECUTE)
"""Those that fit next to any request, since they hand it on to a shell, a program or another agent."""
_EFFECTS: Final = by_word(
    {"read": _READ, "write": _WRITE, "execute": _EXECUTE, "network": _NETWORK, "irreversible": _IRREVERSIBLE}
)


def plain_name(tool: str) -> str:
    """Small letters alone. A server's prefix (`mcp__notes__write`) stays, and makes it a tool that nobody knows."""
    return tool if "__" in tool else _MARKS.sub("", tool).lower().removeprefix("builtin")


def known_effect(tool: str) -> Effect | None:
    """None for one that coding agents don't bring along."""
    return _EFFECTS.get(plain_name(tool))
