"""The metrics of a whole daemon: what its records and receipts tell, in the forms that Prometheus reads, and no words."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import httpx
import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_text

from daemon import wire
from daemon.client import Client
from tests.fakes import seeing_daemon
from tests.fakes.running import SCRIPTED, RunningDaemon, wait_until
from tests.fakes.sights import sight
from tests.fakes.upstream import HELLO, Upstream, as_json, on_a_thread

pytestmark = pytest.mark.slow
CANARY: Final = "QUELLBRUNN"
MAIL: Final = "ada.quellbrunn@millbrook.org"
PASSPORT: Final = b"passport"
SETTINGS: Final = """
[policy]
privacy = "balanced"
classes = {{ EMAIL_ADDRESS = "mask", secret = "device" }}
[signals]
deadline_s = 60
[providers.work]
base_url = "{url}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
place = "cloud"
"""


class House:
    """A daemon before a cloud. client: may ask it."""

    def __init__(self, daemon: RunningDaemon, control: Client, client: httpx.Client, reader: str) -> None:
        self.daemon = daemon
        self.control = control
        self.client = client
        self.reader = reader

    def ask(self, model: str, *parts: Any, **headers: str) -> httpx.Response:
        body = {"model": model, "messages": [{"role": "user", "content": list(parts)}]}
        return self.client.post("/v1/chat/completions", json=body, headers=headers)

    def metrics(self, accept: str = "text/plain", token: str | None = None) -> httpx.Response:
        headers = {"authorization": f"Bearer {token or self.reader}", "accept": accept}
        return httpx.get(f"{self.daemon.url}/metrics", headers=headers, trust_env=False, timeout=30)

    def records(self) -> tuple[wire.Record, ...]:
        return self.control.records(None, 1000).records


def words(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def picture(data: bytes) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{base64.b64encode(data).decode()}"}}


def parsed(answer: httpx.Response) -> dict[str, Metric]:
    assert answer.status_code == 200, answer.text
    read = read_openmetrics if "openmetrics" in answer.headers["content-type"] else read_text
    return {family.name: family for family in read(answer.text)}


def values(families: dict[str, Metric], name: str) -> dict[tuple[str, ...], float]:
    """Of a counter or gauge, by its labels' values in the order of their names."""
    return {
        tuple(value for _, value in sorted(sample.labels.items())): sample.value
        for family in families.values()
        for sample in family.samples
        if sample.name == name and sample.value
    }


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A daemon in which some of everything has happened."""
    folder = tmp_path_factory.mktemp("metrics")
    seen = {PASSPORT: sight("identity_document", words=f"PASSPORT\n{CANARY}")}
    environment = {"NEARLOOP_TEST_KEY": "sk-of-the-tests-0123456789", **seeing_daemon.write(folder / "sights", seen)}
    refusing = as_json({"error": {"message": f"no {CANARY}"}}, status=400)
    with on_a_thread(HELLO, HELLO, refusing, HELLO) as work:
        settings = SCRIPTED.format(options="") + SETTINGS.format(url=work.url)
        daemon = RunningDaemon(folder / "home", settings, environment, module="tests.fakes.seeing_daemon")
        try:
            daemon.wait_ready()
            with daemon.client() as control:
                asking = control.add_client("asking", None).token
                reader = control.add_client("scraper", ("read:records",)).token
                with daemon.http(headers={"authorization": f"Bearer {asking}"}) as client:
                    made = House(daemon, control, client, reader)
                    a_day(made, work)
                    yield made
        finally:
            daemon.stop()


def a_day(house: House, work: Upstream) -> None:
    """What the tests look for in the metrics."""
    here = house.ask("local", words(f"what is {CANARY}?"))
    assert here.status_code == 200, here.text
    masked = house.ask("work/big", words(f"write to {MAIL} about {CANARY}"))
    assert masked.headers["x-nearloop-egress"] == "masked", masked.text
    assert house.ask("work/big", words("hello there")).headers["x-nearloop-egress"] == "open"
    assert house.ask("work/big", words("and again")).status_code >= 400
    assert house.ask("local", words("look"), picture(PASSPORT), picture(b"hm"), picture(b"no")).status_code == 400
    assert house.ask("work/big", words("look"), picture(PASSPORT)).status_code == 403
    assert house.ask(f"{CANARY}-model", words("hi")).status_code == 404
    wait_until(lambda: not values(parsed(house.metrics()), "nearloop_in_flight_requests"))


def counted(records: tuple[wire.Record, ...], of: Callable[[wire.Record], list[tuple[str, ...]]]) -> dict[Any, float]:
    return dict(Counter(key for record in records for key in of(record)))


def test_counts_are_those_of_the_records(house: House) -> None:
    """Requests, calls, tokens, findings and pictures add up to what the records say."""
    told, records = parsed(house.metrics()), house.records()

    assert len(records) >= 6
    assert values(told, "nearloop_requests_total") == counted(
        records, lambda each: [(each.egress, each.outcome, each.protocol)]
    )
    assert values(told, "nearloop_client_requests_total") == counted(
        records, lambda each: [(each.client or "anonymous", each.outcome)]
    )
    calls = counted(records, lambda each: [(f"{one.provider}/{one.model}",) for one in each.attempts])
    assert values(told, "llm_model_requests_total") == calls
    assert {"local/play", "work/big"} <= {name for (name,) in calls}
    tokens = sum(one.prompt_tokens + one.completion_tokens for each in records for one in each.attempts)
    assert sum(values(told, "llm_model_tokens_total").values()) == tokens > 0


def test_what_left_is_counted(house: House) -> None:
    """Crossings by provider, their bytes, how they ended, and what was masked in them by class."""
    told = parsed(house.metrics())
    receipts = [receipt for each in house.records() for receipt in each.receipts]

    assert len(receipts) == 3
    assert values(told, "nearloop_crossings_total") == {("cloud", "work", "request"): 3}
    assert values(told, "nearloop_crossing_sent_bytes_total") == {
        ("cloud", "work"): sum(each.body_bytes for each in receipts)
    }
    assert sum(values(told, "nearloop_crossing_ends_total").values()) == 3
    assert values(told, "llm_masking_entities_total") == {("model-named", "EMAIL_ADDRESS"): 1}
    assert values(told, "nearloop_answers_total") == {("cloud",): 2, ("device",): 1}


def test_pictures_are_counted_by_kind_and_by_why_not(house: House) -> None:
    """A passport, and pictures that nobody could look at."""
    told = parsed(house.metrics())

    assert values(told, "nearloop_pictures_total") == {
        ("identity_document", "seen", "image"): 2,
        ("none", "broken", "image"): 2,
    }
    looks = {
        s.labels["le"]: s.value for s in told["nearloop_picture_look_seconds"].samples if s.name.endswith("_bucket")
    }
    assert looks["+Inf"] == 4


def test_failures_are_counted_by_why(house: House) -> None:
    """A provider's refusal, and requests that had to stay: nobody was chosen for those yet, and no name made up."""
    errors = values(parsed(house.metrics()), "llm_request_errors_total")

    assert errors == {
        ("local/play", "unsupported_parameter"): 1,  # it reads no pictures
        ("other", "model_not_found"): 1,
        ("other", "pii_policy_denied"): 1,
        ("work/big", "unsupported_parameter"): 1,
    }


def test_both_formats_tell_the_same(house: House) -> None:
    """By what the client accepts; the library's own parsers read both, and HEAD has no body."""
    text = house.metrics()
    newer = house.metrics("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")

    assert text.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert newer.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert newer.text.endswith("# EOF\n")
    for name in ("nearloop_requests_total", "llm_model_requests_total", "nearloop_pictures_total"):
        assert values(parsed(text), name) == values(parsed(newer), name) != {}
    head = httpx.head(
        f"{house.daemon.url}/metrics", headers={"authorization": f"Bearer {house.reader}"}, trust_env=False
    )
    assert (head.status_code, head.content) == (200, b"")


def test_who_may_read_them(house: House) -> None:
    """Who may read records; everybody else is told so in the shape of every other refusal, and no page gets them."""
    url = house.daemon.url
    status = {}
    for token, expected in (("nl_wrong", 401), ("", 403), (house.client.headers["authorization"][7:], 403)):
        headers = {"authorization": f"Bearer {token}"} if token else {}
        refused = [
            httpx.get(f"{url}{path}", headers=headers, trust_env=False) for path in ("/metrics", "/nearloop/v1/records")
        ]
        assert {each.status_code for each in refused} == {expected}
        assert refused[0].json() == refused[1].json()
        status[token] = refused[0].text
    foreign = httpx.get(
        f"{url}/metrics",
        headers={"authorization": f"Bearer {house.reader}", "origin": "https://evil.example"},
        trust_env=False,
    )
    assert foreign.status_code == 403
    assert not any("nearloop_requests" in each for each in (*status.values(), foreign.text))


def test_no_word_of_anybody_s_is_in_them(house: House) -> None:
    """Not of prompts, pictures, model names that were asked for, or a provider's errors."""
    for accept in ("text/plain", "application/openmetrics-text"):
        text = house.metrics(accept).text.lower()
        assert CANARY.lower() not in text
        assert "millbrook" not in text
        assert "sk-of-the-tests" not in text


def test_no_client_makes_a_series(house: House) -> None:
    """However many models, projects and sessions it makes up."""

    def flood(start: int, count: int) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
        for number in range(start, start + count):
            made_up = f"made-up-{number}"
            for name in (made_up, f"work/{made_up}") if number % 50 == 0 else (made_up,):
                house.ask(
                    name, words("hi"), **{"x-nearloop-project": made_up, "x-session-id": made_up, "user-agent": made_up}
                )
        wait_until(lambda: not values(parsed(house.metrics()), "nearloop_in_flight_requests"))
        text = house.metrics()
        return {(s.name, tuple(sorted(s.labels.items()))) for family in parsed(text).values() for s in family.samples}

    before = flood(0, 2)
    after = flood(2, 2000)
    assert after == before
    assert not any("made-up" in str(each) for each in after)
