"""Canaries through a real daemon to a provider that keeps each byte: what was planted, and what of it arrived."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import httpx
from msgspec import Struct, field

from tests.fakes.canary_requests import Case
from tests.fakes.canary_search import arrived, core
from tests.fakes.canary_values import TERMS
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import Answer, Received, Upstream, serving

AT_ONCE: Final = 4
_SETTINGS: Final = """
[providers.work]
base_url = "{url}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
place = "cloud"
[policy]
privacy = "{privacy}"
[dictionary]
terms = {terms}
[signals]
deadline_s = 60.0  # a busy machine looks as long as it takes
"""


class Counts(Struct):
    """By (kind, writing). planted: requests. arrived: those in which the provider got the value. sent: those that left."""

    planted: Counter[tuple[str, str]] = field(default_factory=Counter)
    arrived: Counter[tuple[str, str]] = field(default_factory=Counter)
    sent: int = 0
    fields: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Of what arrived, by (protocol, field)."""
    examples: list[tuple[Case, bytes]] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    not_read: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Of what the daemon didn't take as a request, by (protocol, field)."""


class _Watching(Upstream):
    """Looks at each request as it comes for what is planted in those that are on their way."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(*answers)
        self.underway: dict[int, tuple[Case, str]] = {}
        self.leaked: dict[int, bytes] = {}
        self.came = 0
        self.ended = asyncio.Condition()

    def choose(self, request: Received) -> Answer:
        self.came += 1
        text = arrived(request)
        for number, (_, value) in self.underway.items():
            if value in text:
                self.leaked[number] = request.body
        answer = super().choose(request)
        self.requests.clear()
        self.bytes.clear()
        return answer


async def campaign(home: Path, privacy: str, planted: Iterable[Case]) -> Counts:
    """Send them all. home: a folder for the daemon."""
    counts = Counts()
    async with serving(_Watching()) as served:
        terms = str(list(TERMS)).replace("'", '"')
        settings = SCRIPTED.format(options="") + _SETTINGS.format(url=served.url, privacy=privacy, terms=terms)
        daemon = await asyncio.to_thread(RunningDaemon, home, settings, {"NEARLOOP_TEST_KEY": "sk-test-" + "0" * 20})
        try:
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "campaign", None)).token
            headers = {"authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=60) as client:
                numbered = enumerate(planted)
                async with asyncio.TaskGroup() as tasks:
                    for _ in range(AT_ONCE):
                        tasks.create_task(_send(client, served, numbered, counts))
        finally:
            if daemon.process.poll() is None:
                await asyncio.to_thread(daemon.stop)
        counts.sent = served.came
    return counts


async def _send(client: httpx.AsyncClient, served: _Watching, numbered: enumerate[Case], counts: Counts) -> None:
    for number, case in numbered:
        pair = case.value.kind, case.writing
        value = core(case.value.text)
        async with served.ended:  # the same value twice at once could not be told apart
            await served.ended.wait_for(
                lambda value=value: all(value != other for _, other in served.underway.values())
            )
            served.underway[number] = case, value
        response = await client.post(case.path, json=case.body, headers=case.headers)
        counts.statuses[response.status_code] += 1
        if response.status_code in (400, 404, 422):
            counts.not_read[case.path, case.field] += 1
        async with served.ended:
            del served.underway[number]
            served.ended.notify_all()
        counts.planted[pair] += 1
        if (body := served.leaked.pop(number, None)) is not None:
            counts.arrived[pair] += 1
            counts.fields[case.path, case.field] += 1
            counts.examples.append((case, body))
