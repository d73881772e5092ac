"""An Azure deployment behind the daemon, by its older address: the version, the key and what its filter refuses."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import HELLO, as_json, upstream

pytestmark = pytest.mark.slow

KEY: Final = "azure-" + "test-0815"
SETTINGS: Final = """
[providers.work]
wire = "azure"
base_url = "{url}/openai/deployments/chat"
api_version = "2024-10-21"
models = ["chat"]
key = "env:NEARLOOP_TEST_KEY"
"""
REFUSED: Final = {
    "message": "The response was filtered due to the prompt triggering a content management policy.",
    "param": "prompt",
    "code": "content_filter",
    "status": 400,
    "innererror": {"code": "ResponsibleAIPolicyViolation"},
}


async def test_an_answer_and_a_refusal(tmp_path: Path) -> None:
    """The query stands behind each call, the key in its header, and a refused prompt is told as one."""
    async with upstream(HELLO, as_json({"error": REFUSED}, 400)) as served:
        settings = SCRIPTED.format(options="") + SETTINGS.format(url=served.url)
        daemon = await asyncio.to_thread(RunningDaemon, tmp_path / "home", settings, {"NEARLOOP_TEST_KEY": KEY})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            headers = {"authorization": f"Bearer {daemon.admin_token}"}
            async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=60) as client:
                body = {"model": "work/chat", "messages": [{"role": "user", "content": "hi"}], "stream": True}
                answer = await client.post("/v1/chat/completions", json=body)
                refused = await client.post("/v1/chat/completions", json={**body, "stream": False})
        finally:
            await asyncio.to_thread(daemon.stop)

    assert answer.status_code == 200 and '"content":"Hel"' in answer.text
    assert refused.status_code == 400
    assert "filter of contents refused the prompt" in refused.json()["error"]["message"]
    assert [request.path for request in served.requests] == [
        "/v1/openai/deployments/chat/chat/completions?api-version=2024-10-21"
    ] * 2
    assert {request.headers["api-key"] for request in served.requests} == {KEY}
