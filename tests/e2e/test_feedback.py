"""Whether an answer was right, told to a running daemon."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli.main import cli
from daemon.cli.why import explain
from daemon.cli.why_codes import STANDINGS
from daemon.client import Rejected
from daemon.wire import Attempt
from tests.fakes.running import RunningDaemon

pytestmark = pytest.mark.slow

SETTINGS = """
version = 1
[policy]
escalate_below = 0.0
[providers.work]
base_url = "http://127.0.0.1:9/v1"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
"""
QUESTION = {"messages": [{"role": "user", "content": "Who wrote Hamlet?"}], "temperature": 0, "max_tokens": 12}


def test_feedback_refines_what_is_stated(tmp_path: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kept draft has a calibrated confidence; said to be wrong, once however often, the same answer is less sure the next
    time. Of an answer that nobody judged nothing is learned, and no words are kept.
    """
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "models").symlink_to(model_cache)
    daemon = RunningDaemon(tmp_path, SETTINGS, {"NEARLOOP_TEST_KEY": "sk-test-0123456789"})
    try:
        daemon.wait_ready(90)
        with daemon.client() as control, daemon.http() as http:
            http.headers["authorization"] = f"Bearer {control.add_client('tests', None).token}"

            def ask(model: str) -> Attempt:
                answer = http.post("/v1/chat/completions", json={**QUESTION, "model": model})
                assert answer.status_code == 200, answer.text
                nonlocal id
                id = answer.headers["x-nearloop-record"]
                return control.record(id).record.attempts[0]

            id = ""
            before = ask("auto")
            assert before.family == "short"
            assert before.confidence is not None
            assert before.odds is not None
            assert STANDINGS[before.standing or ""] in " ".join(explain(control.record(id).record))
            monkeypatch.setenv("NEARLOOP_HOME", str(tmp_path))
            for _ in range(2):
                done = CliRunner().invoke(cli, ["feedback", id, "wrong"])
                assert done.exit_code == 0, done.output
            assert "1 outcome is known" in done.output

            after = ask("auto")
            ask("local")

            assert after.confidence is not None
            assert after.confidence < before.confidence
            assert after.odds == pytest.approx(before.odds, abs=0.5)
            with pytest.raises(Rejected, match="nothing can be learned"):
                control.outcome(id, True)
    finally:
        daemon.stop()
    assert b"Hamlet" not in (tmp_path / "data" / "confidence" / "outcomes.jsonl").read_bytes()
