"""Pictures in requests, through a whole daemon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import psutil
import pytest

from daemon.pictures.carried import data_url
from tests.fakes.drawn import note, saved
from tests.fakes.running import RunningDaemon, running

pytestmark = pytest.mark.slow
pytest.importorskip("rapidocr")
RECIPE = """
SIGNAL keyword aurora { keywords: ["Project Aurora"] }
MODEL local {}
ROUTE ours { WHEN keyword("aurora") MODEL "local" }
ROUTE rest { MODEL "local" }
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    home = tmp_path_factory.mktemp("pictures")
    (home / "config").mkdir()
    (home / "config" / "mine.dsl").write_text(RECIPE)
    with running(home, extra='[routing]\nrecipe = "mine.dsl"\n[signals]\ndeadline_s = 60.0\n') as here:
        yield here


def decided(daemon: RunningDaemon, *parts: Any) -> str:
    body = {"messages": [{"role": "user", "content": list(parts)}]}
    answer = httpx.post(f"{daemon.url}/api/v1/eval", json=body, timeout=90, trust_env=False)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["routing_decision"])


def workers(daemon: RunningDaemon) -> int:
    found = psutil.Process(daemon.process.pid).children(recursive=True)
    return sum("edge_models.vision.worker" in " ".join(each.cmdline()) for each in found)


def test_words_in_a_picture_are_words_of_the_request(daemon: RunningDaemon) -> None:
    """A rule over words holds for a screenshot that shows them; no process is there before the first picture."""
    text = {"type": "text", "text": "what is this about?"}
    assert decided(daemon, text) == "rest"
    assert workers(daemon) == 0
    shown = {"type": "image_url", "image_url": {"url": data_url(saved(note(["Minutes", "Project Aurora"])), "png")}}
    other = {"type": "image_url", "image_url": {"url": data_url(saved(note(["Minutes", "Project Other"])), "png")}}
    assert decided(daemon, text, shown) == "ours"
    assert decided(daemon, text, other) == "rest"
    assert workers(daemon) == 1
