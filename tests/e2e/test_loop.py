"""The product's sentence, end to end: answer here, measure, escalate only what may leave, with a receipt.

The cloud is a second Nearloop with the real model, behind a relay that keeps every byte.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import openai
import pytest

from daemon.cli.why import explain
from tests.e2e.short_answers import CHOOSE, TEST, conversation, is_right
from tests.fakes.relay import Relay
from tests.fakes.running import RunningDaemon

pytestmark = pytest.mark.slow

CARD: Final = "4111 1111 1111 1111"
EMAIL: Final = "ada.byron@analytical-engines.net"
PHONE: Final = "+44 20 7946 0958"
KEY: Final = "ghp_" + "k3Jd8sLq0PzX7vNc2RtYb5Wm9HfGa1Ue4Tis"
PLANTED: Final = f"Mail {EMAIL} or call {PHONE}, card {CARD}, token {KEY}. Say ok."

SETTINGS: Final = """
version = 1
[policy]
privacy = "{privacy}"
escalate_below = {threshold}
[projects.tests]
privacy = "{privacy}"
[projects.clinic]
privacy = "strict"
[projects.careless]
privacy = "open"
[providers.work]
base_url = "http://127.0.0.1:{port}/v1"
models = ["local"]
key = "env:NEARLOOP_TEST_KEY"
"""


def with_cache(home: Path, model_cache: Path) -> Path:
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "models").symlink_to(model_cache)
    return home


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[RunningDaemon]:
    daemon = RunningDaemon(with_cache(tmp_path_factory.mktemp("cloud"), model_cache), "")
    daemon.wait_ready(90)
    yield daemon
    daemon.stop()


@pytest.fixture(scope="module")
def relay(cloud: RunningDaemon) -> Iterator[Relay]:
    with cloud.client() as control, Relay(control.discovery.port) as relay:
        yield relay


class Front:
    """A daemon whose cloud is behind the relay, and a client of it with a token."""

    def __init__(self, home: Path, model_cache: Path, relay: Relay, privacy: str, threshold: float) -> None:
        settings = SETTINGS.format(privacy=privacy, threshold=threshold, port=relay.port)
        self.daemon = RunningDaemon(
            with_cache(home, model_cache), settings, {"NEARLOOP_TEST_KEY": "sk-test-0123456789"}
        )
        self.daemon.wait_ready(90)
        self.control = self.daemon.client()
        token = self.control.add_client("tests", None).token
        self.client = openai.OpenAI(base_url=f"{self.daemon.url}/v1", api_key=token, max_retries=0, timeout=60)

    def ask(self, model: str, text: str | list[dict[str, str]]) -> tuple[str, str, str | None, str]:
        """The answer, what left, its confidence, and its record."""
        messages = [{"role": "user", "content": text}] if isinstance(text, str) else text
        raw = self.client.chat.completions.with_raw_response.create(
            model=model,
            messages=messages,  # type: ignore[arg-type]
            temperature=0,
            max_tokens=24,
        )
        said = raw.parse().choices[0].message.content or ""
        headers = raw.headers
        return said, headers["x-nearloop-egress"], headers.get("x-nearloop-confidence"), headers["x-nearloop-record"]

    def close(self) -> None:
        self.client.close()
        self.control.__exit__(None, None, None)
        self.daemon.stop()


@pytest.fixture
def front(request: pytest.FixtureRequest, tmp_path: Path, model_cache: Path, relay: Relay) -> Iterator[Front]:
    privacy, threshold = request.param
    front = Front(tmp_path / "front", model_cache, relay, privacy, threshold)
    relay.sent.clear()
    yield front
    front.close()


def auroc(scored: list[tuple[float, bool]]) -> float:
    """The share of (right, wrong) pairs in which the right one has the higher score; ties count half."""
    right = [score for score, good in scored if good]
    wrong = [score for score, good in scored if not good]
    wins = sum((r > w) + 0.5 * (r == w) for r in right for w in wrong)
    return wins / (len(right) * len(wrong))


def interval(scored: list[tuple[float, bool]], seed: int = 1) -> tuple[float, float]:
    """A 95 % bootstrap interval of the AUROC."""
    draw = random.Random(seed)
    values = []
    while len(values) < 1000:
        sample = draw.choices(scored, k=len(scored))
        if 0 < sum(good for _, good in sample) < len(sample):
            values.append(auroc(sample))
    values.sort()
    return values[25], values[974]


def best_threshold(scored: list[tuple[float, bool]]) -> float:
    """The one at which (kept right) - (kept wrong) is largest."""
    candidates = sorted({score for score, _ in scored})
    return max(candidates, key=lambda t: sum((1 if good else -1) for score, good in scored if score >= t))


@pytest.mark.parametrize("front", [("balanced", 0.0)], indirect=True)
def test_confidence_orders_answers(
    front: Front, tmp_path: Path, model_cache: Path, relay: Relay, capsys: pytest.CaptureFixture[str]
) -> None:
    """Right answers score higher; with a threshold fixed on half of the questions, the surest of the other half stays here
    and the least sure is escalated."""
    scores: dict[str, float] = {}
    halves: list[list[tuple[float, bool]]] = []
    for half in (CHOOSE, TEST):
        scored = []
        for question, gold in half:
            said, _, _, record = front.ask("auto", conversation(question))
            score = front.control.record(record).record.attempts[0].confidence
            assert score is not None
            scores[question] = score
            scored.append((score, is_right(said, gold)))
        halves.append(scored)
    threshold = best_threshold(halves[0])
    value, (low, high) = auroc(halves[1]), interval(halves[1])
    with capsys.disabled():
        right = sum(good for _, good in halves[1])
        print(
            f"\nAUROC {value:.2f} (95 % {low:.2f}-{high:.2f}, n=30, {right} right), threshold {threshold:.2f} from 30 others"
        )
    assert value > 0.5
    ordered = sorted((question for question, _ in TEST), key=scores.__getitem__)
    surest, least = ordered[-1], ordered[0]
    assert scores[least] < threshold <= scores[surest]

    chosen = Front(tmp_path / "chosen", model_cache, relay, "balanced", threshold)
    try:
        relay.sent.clear()
        _, egress, confidence, _ = chosen.ask("auto", conversation(surest))
        assert (egress, bytes(relay.sent)) == ("none", b"")
        assert confidence is not None
        assert float(confidence) >= threshold - 0.01
        _, egress, _, record = chosen.ask("auto", conversation(least))
        assert egress == "open"
        assert b"POST /v1/chat/completions" in relay.sent
        told = " ".join(explain(chosen.control.record(record).record))
        assert "below the threshold" in told
        assert re.search(r"Receipt \d+: \d+ bytes to 127\.0\.0\.1", told)
        assert "work/local answered in the cloud" in told
    finally:
        chosen.close()


@pytest.mark.parametrize("front", [("balanced", 0.5)], indirect=True)
def test_private_values_leave_masked_and_come_back(front: Front, relay: Relay) -> None:
    """Card, e-mail, phone and key arrive upstream as aliases in their layout only, and stand nowhere else either."""
    values = (CARD, EMAIL, PHONE, KEY)
    raw = front.client.chat.completions.with_raw_response.create(
        model="cloud", messages=[{"role": "user", "content": PLANTED}], max_tokens=24
    )

    arrived = bytes(relay.sent)
    assert b"POST /v1/chat/completions" in arrived
    for value in values:
        assert value.encode() not in arrived
    assert re.search(
        rb"Mail [a-z]+@[a-z]+\.(?:example|invalid|test) or call \+\d\d \d\d \d{4} \d{4}, "
        rb"card \d{4} \d{4} \d{4} \d{4}, token [a-z]{3}_\w{19}\. Say ok\.",
        arrived,
    )
    assert raw.headers["x-nearloop-egress"] == "masked"
    record = front.control.record(raw.headers["x-nearloop-record"]).record
    assert sum(record.receipts[0].masks.values()) == 4
    assert record.receipts[0].body_bytes > 100
    told = " ".join(explain(record))
    front.control.events(0, 0)
    files = [path for path in front.daemon.home.rglob("*") if path.is_file() and "models" not in path.parts]
    for value in values:
        assert value not in told
        for path in files:
            assert value.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("front", [("strict", 0.5)], indirect=True)
def test_nothing_leaves_that_has_to_stay(front: Front, relay: Relay) -> None:
    """Under `strict` the private request is answered here, or refused with class and field; not a byte goes out."""
    _, egress, _, record = front.ask("auto", PLANTED)
    with pytest.raises(openai.PermissionDeniedError) as caught:
        front.ask("cloud", PLANTED)

    assert egress == "none"
    assert relay.sent == b""
    assert caught.value.code == "private"
    assert "1 CREDIT_CARD in messages[0].parts[0]" in caught.value.message
    assert caught.value.response.headers["x-should-retry"] == "false"
    for value in (CARD, EMAIL, PHONE, KEY):
        assert value not in caught.value.message
    assert front.control.record(record).record.decision.rule == "auto-private"  # type: ignore[union-attr]
    assert front.ask("cloud", "Say ok.")[1] == "open"


@pytest.mark.parametrize("front", [("strict", 0.5)], indirect=True)
def test_letting_it_pass(front: Front, relay: Relay) -> None:
    """`allow --once` lets the same values leave with the next request, and with no other after it."""
    with pytest.raises(openai.PermissionDeniedError) as caught:
        front.ask("cloud", f"Write to {EMAIL}")
    blocked = caught.value.response.headers["x-nearloop-record"]

    assert front.control.allow(blocked[:10], "once").values == 2  # as an address, and as what is no plain word
    with pytest.raises(openai.PermissionDeniedError):
        front.ask("cloud", f"Call {PHONE}")
    assert front.ask("cloud", f"Again: {EMAIL}")[1] == "open"
    assert EMAIL.encode() in relay.sent
    with pytest.raises(openai.PermissionDeniedError):
        front.ask("cloud", f"Once more: {EMAIL}")
    front.control.allow(blocked, "project")
    for _ in range(2):
        assert front.ask("cloud", f"For good: {EMAIL}")[1] == "open"


@pytest.mark.parametrize("front", [("balanced", 0.5)], indirect=True)
def test_a_project_can_only_tighten_by_claim(front: Front, relay: Relay) -> None:
    """The admin's request, which has no label, is held to the stricter policy of the project that it names."""
    with openai.OpenAI(base_url=f"{front.daemon.url}/v1", api_key=front.daemon.admin_token, max_retries=0) as admin:
        for project, refused in (("clinic", True), ("careless", False), ("unknown", False)):
            relay.sent.clear()
            question = {
                "model": "cloud",
                "messages": [{"role": "user", "content": f"Write to {EMAIL}"}],
                "max_tokens": 8,
                "extra_headers": {"x-nearloop-project": project},
            }
            if refused:
                with pytest.raises(openai.PermissionDeniedError):
                    admin.chat.completions.create(**question)  # type: ignore[call-overload]
                assert relay.sent == b""
            else:
                raw = admin.chat.completions.with_raw_response.create(**question)  # type: ignore[call-overload]
                assert (
                    raw.headers["x-nearloop-egress"] == "masked"
                )  # the open policy of a claimed project doesn't count
                assert EMAIL.encode() not in relay.sent


@pytest.mark.parametrize("front", [("balanced", 1.0)], indirect=True)
def test_the_header_keeps_it_here(front: Front, relay: Relay) -> None:
    """`x-nearloop-reach: device` keeps an unsure answer here, and no token means the same."""
    raw = front.client.chat.completions.with_raw_response.create(
        model="auto",
        messages=[{"role": "user", "content": "Say ok."}],
        max_tokens=8,
        extra_headers={"x-nearloop-reach": "device"},
    )
    with openai.OpenAI(base_url=f"{front.daemon.url}/v1", api_key="none", max_retries=0) as anonymous:
        anonymous.chat.completions.create(model="auto", messages=[{"role": "user", "content": "Hi"}], max_tokens=8)

    assert raw.headers["x-nearloop-egress"] == "none"
    assert relay.sent == b""


@pytest.mark.parametrize("front", [("balanced", 1.0)], indirect=True)
def test_the_cloud_is_away(front: Front, cloud: RunningDaemon, tmp_path: Path, model_cache: Path) -> None:
    """A cloud that refuses connections costs the better answer only: the local one comes, marked `below`."""
    with Relay(1) as dead:
        lonely = Front(tmp_path / "lonely", model_cache, dead, "balanced", 1.0)
        try:
            said, _, confidence, record = lonely.ask("auto", "What is 2 + 2?")
            assert said
            assert confidence == "below"
            first, away, *_ = lonely.control.record(record).record.attempts  # a draft that was stopped is asked anew
            assert (first.provider, first.error) == ("local", None)
            assert away.provider != "local"
            assert away.error is not None
        finally:
            lonely.close()
