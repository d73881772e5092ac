"""A picture with a mail address in it, through a whole daemon with its own eyes: what arrives has black where it stood."""

from __future__ import annotations

import asyncio
import base64
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.house import house
from tests.fakes.pictures import Drawn, DrawnEyes, drawn
from tests.fakes.upstream import HELLO

pytestmark = pytest.mark.slow
pytest.importorskip("rapidocr")
MAIL: Final = "jane.keller@millbrook.org"
PAGE: Final = drawn(["Minutes of the meeting", f"Please write to {MAIL} before Friday, if you can", "The end"])


SCRAP: Final = drawn(["The end"])


def question(detail: str, page: Drawn = PAGE) -> dict[str, Any]:
    image = {"type": "image_url", "image_url": {"url": page.part().url, "detail": detail}}
    return {"model": "cloud", "messages": [{"role": "user", "content": [{"type": "text", "text": "Summarise"}, image]}]}


async def test_what_arrives_is_painted(tmp_path: Path) -> None:
    """By the process that looked at it; the receipt counts it, and nothing of what was read arrives or is kept.

    Three lines on white are of no kind that the model is sure of, hence what the policy says of two.
    """
    policy = 'classes = { picture = "mask", identity_document = "mask" }'
    async with house(tmp_path, HELLO, policy=policy) as here:
        answer = await here.client.post("/v1/chat/completions", json=question("high"))
        assert answer.status_code == 200, answer.text
        (request,) = here.served.requests
        (picture,) = re.findall(rb"data:image/png;base64,([A-Za-z0-9+/=]+)", request.body)
        left = DrawnEyes(PAGE).read(base64.b64decode(picture)).text

        assert "Minutes of the meeting" in left
        assert not any(each in left for each in ("jane", "keller", "millbrook"))
        record = await here.record(answer)
        assert [dict(each.masks) for each in record.receipts] == [{"EMAIL_ADDRESS": 1}]
        assert b"meeting" not in request.body
        headers = {"authorization": f"Bearer {here.daemon.admin_token}"}
        metrics = (await here.client.get("/metrics", headers=headers)).text
        assert 'llm_masking_entities_total{decision="model-cloud",entity_type="EMAIL_ADDRESS"} 1.0' in metrics
        assert "nearloop_pictures_painted_total 1.0" in metrics
        assert "nearloop_picture_boxes_painted_total 1.0" in metrics
        assert 'nearloop_picture_findings_total{class="EMAIL_ADDRESS"} 1.0' in metrics
        assert not any(each in metrics for each in ("jane", "keller", "millbrook", "meeting"))
        await asyncio.to_thread(here.daemon.stop)
        kept = [file.read_bytes() for file in (tmp_path / "home").rglob("*") if file.is_file()]
        assert not any(b"Minutes of the" in each or b"millbrook" in each for each in kept)


async def test_a_picture_that_nobody_is_sure_of_stays(tmp_path: Path) -> None:
    """In `balanced`, by its class: two words on white are of no kind for sure."""
    async with house(tmp_path, HELLO) as here:
        answer = await here.client.post("/v1/chat/completions", json=question("low", SCRAP))

        assert answer.status_code == 403
        assert "in messages[0].parts[1]" in answer.text
        assert here.served.requests == []
