"""Names of others begin no line of a table, on a terminal or in a pipe."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from daemon.cli.main import cli
from daemon.cli.terminal import row
from daemon.clock import SystemClock
from daemon.paths import Paths
from daemon.receipts.store import About, Receipts
from providers.certificates import Tls
from providers.cleared import Crossing, Place, Returned

FORGED = "x\n     9  2026-01-01 00:00:00  nothing left\r\x1b[8m\x85\u2028"


@pytest.mark.parametrize(("text", "shown"), [("a\tb\nc", r"a\tb\nc"), ("Grüße 你好\x1b", "Grüße 你好\\x1b"), ("", "")])
def test_a_row_is_one_line(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What would begin another is shown by its number, and so is what steers."""
    row(text)
    assert capsys.readouterr().out == f"{shown}\n"


async def test_receipts_of_forged_names(where: Paths) -> None:
    """A model's, a host's and an issuer's name stay within their receipt's lines, and are shown."""
    receipts = Receipts(where.receipts, SystemClock(), "daemon")
    crossing = Crossing("cloud.invalid", Place.CLOUD, 5, "0" * 64, "work", path="/v1/chat/completions")
    clean = replace(crossing, tls=Tls("TLSv1.3", "Org", "CA", "private"))
    forged = replace(crossing, host=f"h{FORGED}", tls=Tls("TLSv1.3", FORGED, FORGED, "private"))
    lines: dict[str, list[int]] = {}
    for name, each in (("x", clean), (FORGED, forged)):
        about = About(model=name, record="a" * 16, rule=name, policy="balanced: masked")
        (await receipts.witness(about)(each))(Returned(200, 5, True))
        await receipts.flush()
    number = [1, 3]
    try:
        for command in (["receipts", "show", str(n)] for n in number):
            said = CliRunner().invoke(cli, command, catch_exceptions=False)
            assert said.exit_code == 0, said.output
            lines.setdefault("show", []).append(len(said.output.splitlines()))
        listed = CliRunner().invoke(cli, ["receipts", "list"], catch_exceptions=False).output
        proof = CliRunner().invoke(cli, ["prove-local", "--since", "1h"], catch_exceptions=False).output
    finally:
        await receipts.flush()
        receipts.close()

    assert lines["show"][0] == lines["show"][1]
    assert len(listed.splitlines()) == 2
    assert r"x\n     9" in listed
    assert not any(line.startswith("     9  2026-01-01") for line in (*listed.splitlines(), *proof.splitlines()))
    assert not set("\r\x1b\x85\u2028") & set(listed + proof)
