"""`nearloop doctor`: look for what is wrong, and say what to do. It needs no daemon."""

from __future__ import annotations

import sys

import click
import msgspec

from daemon.cli.terminal import row
from daemon.doctor import examine
from daemon.paths import paths

_MARK = {"ok": "✓", "info": "·", "warning": "!", "error": "✗"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> None:
    """Look for what is wrong, and say what to do.

    Exit status 1 if something is broken.
    """
    findings = examine(paths())
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(findings)).decode())
    else:
        for finding in findings:
            row(f"{_MARK[finding.severity]} {finding.text}")
            if finding.remedy:
                row(f"    {finding.remedy}")
    if any(finding.severity == "error" for finding in findings):
        sys.exit(1)
