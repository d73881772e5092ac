"""Previews of routing over HTTP and at the command line: what would be decided, with nobody asked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.fakes.running import RunningDaemon, running

pytestmark = pytest.mark.slow

RECIPE = """
SIGNAL keyword code { keywords: ["traceback", "C++"] }
SIGNAL keyword urgent { keywords: ["urgent", "now"] }
SIGNAL pii personal {}
PROJECTION score haste { inputs: [{ type: "keyword", name: "urgent", weight: 1, value_source: "confidence" }] }
PROJECTION mapping haste_band { source: "haste" outputs: [{ name: "hasty", gte: 0.5 }, { name: "calm", lt: 0.5 }] }
MODEL local {}
MODEL "far/away" {}
MODEL "far/other" {}
ROUTE private { TIER 1 WHEN pii("personal") MODEL "local" PLUGIN tools { mode: "none" } PLUGIN router_replay {} }
ROUTE code { TIER 2 PRIORITY 5 WHEN keyword("code") AND NOT projection("hasty") MODEL "far/away", "local" }
ROUTE panel { TIER 2 WHEN projection("hasty") MODEL "far/away", "far/other" ALGORITHM fusion {} }
ROUTE rest { MODEL "local" }
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    home = tmp_path_factory.mktemp("preview")
    (home / "config").mkdir()
    (home / "config" / "mine.dsl").write_text(RECIPE)
    with running(home, extra='[routing]\nrecipe = "mine.dsl"\n') as here:
        yield here


def eval_(daemon: RunningDaemon, path: str = "/api/v1/eval?trace=true", status: int = 200, **body: Any) -> Any:
    answer = httpx.post(f"{daemon.url}{path}", json=body, timeout=30, trust_env=False)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_upstreams_shape(daemon: RunningDaemon) -> None:
    """Each field that upstream's checks read, under its name; one entry for each decision."""
    told = eval_(daemon, text="why this traceback?")

    assert (told["recipe"], told["requested_model"]) == ("default", "auto")
    assert told["routing_decision"] == told["decision_result"]["decision_name"] == "code"
    assert told["decision_result"]["algorithm"] == "static"
    assert told["decision_result"]["matched_signals"] == {"keywords": ["code"], "projection": ["calm"]}
    assert told["decision_result"]["used_signals"] == {"keywords": ["code"], "projection": ["hasty"]}
    assert told["recommended_models"] == ["far/away", "local"]
    assert (told["selected_model"], told["selection_method"], told["selection_status"]) == (
        "local",
        "static",
        "selected",
    )
    assert {each["decision_name"]: each["matched"] for each in told["eval_trace"]} == {
        "code": True, "panel": False, "private": False, "rest": True
    }  # fmt: skip
    code = next(each for each in told["eval_trace"] if each["decision_name"] == "code")
    assert code["root_trace"]["operator"] == "AND"
    assert [child["truth"] for child in code["root_trace"]["children"]] == ["true", "true"]
    assert told["projection_trace"]["scores"][0]["name"] == "haste"
    assert told["nearloop"]["candidates"] == ["local/play"]
    assert told["nearloop"]["notes"] == ["not-set-up"]
    assert told["signal_errors"] == {}


def test_models_that_only_answers_can_choose(daemon: RunningDaemon) -> None:
    """They have none yet; what this machine would do stands beside it."""
    told = eval_(daemon, text="urgent, now!")

    assert told["routing_decision"] == "panel"
    assert (told["selected_model"], told["selection_status"]) == ("", "execution_required")
    assert told["selection_method"] == "fusion"
    assert told["recommended_models"] == ["far/away", "far/other"]


def test_messages_tools_and_the_newer_name(daemon: RunningDaemon) -> None:
    """A chat request as clients send it; without trace=true there is none."""
    tool = {"type": "function", "function": {"name": "look", "description": "x"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "mail ada.byron@analytical-engines.net"}]},
    ]

    told = eval_(daemon, "/api/v1/routing/preview", messages=messages, tools=[tool], model="MoM")

    assert told["routing_decision"] == "private"
    assert told["decision_result"]["plugins"] == ["tools", "router_replay"]
    assert told["requested_model"] == "MoM"
    assert told["eval_trace"] == []


def test_without_a_recipe(daemon: RunningDaemon) -> None:
    """A name that says who answers is told as such."""
    told = eval_(daemon, text="hello", model="local")

    assert (told["recipe"], told["routing_decision"]) == ("", "model-local")
    assert (told["selected_model"], told["selection_status"]) == ("local/play", "selected")


@pytest.mark.parametrize(
    "body", [{}, {"text": ""}, {"text": 5}, {"text": "x", "messages": []}, {"messages": [{"role": "user"}]}]
)
def test_what_is_no_question(daemon: RunningDaemon, body: Any) -> None:
    """It is refused by name."""
    assert eval_(daemon, status=400, **body)["error"]["code"] == "bad_request"


def test_nothing_is_asked_or_kept(daemon: RunningDaemon) -> None:
    """No model, no record, no count."""
    with daemon.client() as control:
        before = control.status()
        eval_(daemon, text="hello")
        after = control.status()

    assert (before.requests, before.records) == (after.requests, after.records)


def test_the_command(daemon: RunningDaemon) -> None:
    """`nearloop why --text` says the same in words."""
    env = {**os.environ, "NEARLOOP_HOME": str(daemon.home)}
    command = [sys.executable, "-m", "daemon.cli.main", "why", "--text", "why this traceback?"]

    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == [
        "auto: local/play would answer; it could leave as it is.",
        "Recipe default: code, static.",
    ]
    assert "Found: keywords code." in done.stdout
    assert "+ keyword(" in done.stdout
