"""Variables in the words of shells."""

from __future__ import annotations

import os
import subprocess

from daemon.connecting.shells import assignments, usual_shell, variables

VALUES = variables("http://127.0.0.1:6327", "nl_x")


def test_a_shell_reads_them() -> None:
    """As a POSIX shell evaluates them, programs have them."""
    script = "\n".join([*assignments(VALUES, "sh"), 'printf %s "$OPENAI_BASE_URL $ANTHROPIC_BASE_URL $OPENAI_API_KEY"'])

    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env={"PATH": os.environ["PATH"]})

    assert done.stdout == "http://127.0.0.1:6327/v1 http://127.0.0.1:6327 nl_x"


def test_other_shells() -> None:
    """fish, PowerShell and cmd have words of their own."""
    assert assignments(VALUES, "fish")[0] == "set -gx OPENAI_BASE_URL http://127.0.0.1:6327/v1"
    assert assignments(VALUES, "powershell")[0] == "$env:OPENAI_BASE_URL = 'http://127.0.0.1:6327/v1'"
    assert assignments(VALUES, "cmd")[0] == "set OPENAI_BASE_URL=http://127.0.0.1:6327/v1"
    assert (usual_shell("win32"), usual_shell("linux")) == ("powershell", "sh")
