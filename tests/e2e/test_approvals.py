"""A request that may leave if the user lets it: it waits, is shown, and comes to its end whether or not somebody answers."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from daemon.cli.why import explain
from daemon.client import Client, Rejected
from daemon.wire import Approval, NewAnswer
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import HELLO, Upstream, upstream

pytestmark = pytest.mark.slow

CHAT: Final = "/v1/chat/completions"
ADDRESS: Final = "ada.quellbrunn@quellbrunn-werke.de"
SAID: Final = f"Write to {ADDRESS}"
SETTINGS: Final = """
[policy]
escalate_below = 0.99
ask_s = {ask_s}
classes = {{ EMAIL_ADDRESS = "ask" }}
[signals]
deadline_s = 60
[providers.work]
base_url = "{url}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
{more}
"""
LOOK_S: Final = 60.0


class House:
    """A daemon that asks its user, a program with a token, and the provider."""

    def __init__(self, daemon: RunningDaemon, control: Client, client: httpx.AsyncClient, served: Upstream) -> None:
        self.daemon = daemon
        self.control = control
        self.client = client
        self.served = served

    def ask(self, model: str, text: str = SAID, **headers: str) -> asyncio.Task[httpx.Response]:
        body = {"model": model, "messages": [{"role": "user", "content": text}]}
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return asyncio.create_task(self.client.post(CHAT, json=body, headers=sent))

    async def waiting(self, many: int = 1) -> tuple[Approval, ...]:
        async with asyncio.timeout(LOOK_S):
            while len(found := (await asyncio.to_thread(self.control.approvals)).approvals) != many:
                await asyncio.sleep(0.01)
        return found

    async def answer(self, id: str, answer: Any, scope: Any = "once") -> None:
        await asyncio.to_thread(self.control.answer, id, NewAnswer(answer, scope))

    async def record(self, answer: httpx.Response) -> Any:
        return (await asyncio.to_thread(self.control.record, answer.headers["x-nearloop-record"])).record

    async def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "daemon.cli.main", *words]
        return await asyncio.to_thread(
            subprocess.run, line, capture_output=True, text=True, timeout=60, env=self.daemon.environment
        )

    @property
    def saw(self) -> bool:
        """Whether the address reached the provider."""
        return ADDRESS.encode() in bytes(self.served.bytes)


@asynccontextmanager
async def house(folder: Path, ask_s: float = 60.0, more: str = "", options: str = "") -> AsyncIterator[House]:
    async with upstream(HELLO) as served:
        settings = SCRIPTED.format(options=options) + SETTINGS.format(url=served.url, ask_s=ask_s, more=more)
        key = {"NEARLOOP_TEST_KEY": "sk-of-the-tests-0123456789"}
        daemon = await asyncio.to_thread(RunningDaemon, folder / "home", settings, key)
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
                headers = {"authorization": f"Bearer {token}"}
                async with httpx.AsyncClient(
                    base_url=daemon.url, headers=headers, trust_env=False, timeout=60
                ) as client:
                    yield House(daemon, control, client, served)
        finally:
            if daemon.process.poll() is None:
                await asyncio.to_thread(daemon.stop)


async def test_the_commands(tmp_path: Path) -> None:
    """What waits is listed, shown word for word, and let leave or not; a record says that somebody was asked."""
    async with house(tmp_path) as here:
        assert (await here.command("approvals")).stdout == "nothing waits for your word\n"
        first = here.ask("cloud")
        (held,) = await here.waiting()
        assert "1 waiting for your word: `nearloop approvals`" in (await here.command("status")).stdout
        listed = (await here.command("approvals", "list")).stdout
        assert listed.startswith(held.id)
        assert "a request to work/big: 1 EMAIL_ADDRESS in messages[0].parts[0]" in listed
        assert ADDRESS not in listed
        shown = (await here.command("approvals", "show", held.id)).stdout
        assert f"  {ADDRESS}, masked: " in shown
        assert f"`nearloop approvals allow {held.id}`, or `--masked`" in shown
        assert (await here.command("approvals", "show", held.id, "--json")).stdout.startswith("{")
        assert not here.saw
        assert (await here.command("approvals", "allow", held.id)).stdout == "it may leave\n"
        answer = await first
        assert answer.headers["x-nearloop-egress"] == "open"
        assert here.saw
        told = "\n".join(explain(await here.record(answer)))
        assert "You were asked whether it may leave for work: you let it after" in told

        here.served.bytes.clear()
        masked = here.ask("cloud")
        await here.waiting()
        assert (await here.command("approvals", "allow", (await here.waiting())[0].record, "--masked")).returncode == 0
        assert (await masked).headers["x-nearloop-egress"] == "masked"
        denied = here.ask("cloud")
        (held,) = await here.waiting()
        assert (await here.command("approvals", "deny", held.id[:4])).stdout == "it stays on this machine\n"
        refused = await denied
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "private"
        assert f"nearloop allow {held.record} --once" in refused.json()["error"]["message"]
        assert not here.saw
        both = await here.command("approvals", "allow", held.id, "--masked", "--session")
        assert (both.returncode, "say one of" in both.stderr) == (2, True)
        gone = await here.command("approvals", "show", held.id)
        assert (gone.returncode, "nothing that waits has this id" in gone.stderr) == (1, True)

        assert (await here.command("allow", held.record, "--once")).returncode == 0
        assert (await here.ask("cloud")).headers["x-nearloop-egress"] == "open"


async def test_auto_is_answered_here(tmp_path: Path) -> None:
    """Where nobody answers, or says no, this machine does: `auto` with its own draft, and a recipe's cloud without one."""
    recipe = '\n[routing]\nrecipe = "mine.dsl"\n'
    for more, ask_s in ((recipe, 60.0), ("", 0.2)):
        folder = tmp_path / f"{bool(more)}{ask_s}"
        (folder / "home" / "config").mkdir(parents=True)
        (folder / "home" / "config" / "mine.dsl").write_text('MODEL "work/big" {}\nROUTE any { MODEL "work/big" }\n')
        async with house(folder, ask_s, more) as here:
            asked = here.ask("auto")
            if ask_s > 1:
                (held,) = await here.waiting()
                await here.answer(held.id, "deny")
            answer = await asked

            assert answer.status_code == 200, answer.text
            assert answer.headers["x-nearloop-egress"] == "none"
            assert ADDRESS in answer.json()["choices"][0]["message"]["content"]
            record = await here.record(answer)
            assert [each.outcome for each in record.asked] == ["denied" if ask_s > 1 else "not-answered"]
            assert here.served.requests == []


async def test_a_stream_shows_life_while_it_waits(tmp_path: Path) -> None:
    """Heartbeats come until the answer; with a no the stream ends with an error that has the way out."""
    async with house(tmp_path) as here:
        for answer in ("allow", "deny"):
            body = {"model": "cloud", "stream": True, "messages": [{"role": "user", "content": SAID}]}
            async with here.client.stream("POST", CHAT, json=body) as stream:
                lines = stream.aiter_lines()
                assert (await anext(lines)).startswith(": ")
                (held,) = await here.waiting()
                await here.answer(held.id, answer)
                rest = "\n".join([line async for line in lines])
            assert ("Hel" in rest) == (answer == "allow")
            assert (f"nearloop allow {held.record} --once" in rest) == (answer == "deny")


async def test_the_switch_goes_before_a_yes(tmp_path: Path) -> None:
    """Turned while somebody is asked, it keeps the request here: `auto` is answered by this machine, the cloud is refused."""
    async with house(tmp_path) as here:
        auto, cloud = here.ask("auto", x_session_id="one"), here.ask("cloud", x_session_id="two")
        held = await here.waiting(2)
        await asyncio.to_thread(here.control.set_local_only, True)
        for each in held:
            await here.answer(each.id, "allow")

        answered, refused = await auto, await cloud
        assert (answered.status_code, answered.headers["x-nearloop-egress"]) == (200, "none")
        assert refused.status_code == 403
        assert "nearloop local-only off" in refused.json()["error"]["message"]
        assert here.served.requests == []


async def test_a_client_that_leaves(tmp_path: Path) -> None:
    """Streamed or whole, its question is gone, and who watches is told so."""
    async with house(tmp_path) as here:
        seen = (await asyncio.to_thread(here.control.events, None, 0)).next
        asked = here.ask("cloud")
        await here.waiting()

        asked.cancel()

        await here.waiting(0)
        events = (await asyncio.to_thread(here.control.events, seen, 0)).events
        news = [event.data for event in events if event.kind == "approval"]
        assert [each["state"] for each in news] == ["waiting", "gone"]
        assert news[0]["classes"] == {"EMAIL_ADDRESS": 1}
        assert ADDRESS not in json.dumps(news)
        assert here.served.requests == []


async def test_for_the_session_and_for_good(tmp_path: Path) -> None:
    """What was let pass for longer is not asked about again, and other sessions, or other values, are."""
    async with house(tmp_path) as here:
        first = here.ask("cloud", x_session_id="one")
        (held,) = await here.waiting()
        await here.answer(held.id, "allow", "session")
        await first
        assert (await here.ask("cloud", x_session_id="one")).headers["x-nearloop-egress"] == "open"
        another = here.ask("cloud", x_session_id="two")
        (held,) = await here.waiting()
        await here.answer(held.id, "allow", "project")
        await another
        assert (await here.ask("cloud", x_session_id="three")).status_code == 200
        other = here.ask("cloud", SAID.replace("ada", "eve"), x_session_id="one")
        (held,) = await here.waiting()
        await here.answer(held.id, "deny")
        assert (await other).status_code == 403


async def test_the_words_are_the_users_alone(tmp_path: Path) -> None:
    """They are in no file, and a program's token that may do everything else is not told them; other tokens see nothing."""
    async with house(tmp_path) as here:
        scopes = {"helper": ("admin",), "reader": ("read:records",)}
        tokens = {
            name: (await asyncio.to_thread(here.control.add_client, name, given)).token
            for name, given in scopes.items()
        }
        asked = here.ask("cloud")
        (held,) = await here.waiting()
        seen = {}
        for name, token in tokens.items():
            headers = {"authorization": f"Bearer {token}"}
            for path in ("approvals", f"approvals/{held.id}", "events"):
                answer = await here.client.get(f"/nearloop/v1/{path}", headers=headers)
                seen[name, path] = answer.status_code
                assert ADDRESS not in answer.text
            refused = await here.client.post(f"/nearloop/v1/approvals/{held.id}", headers=headers, json={"answer": "x"})
            assert refused.status_code == (400 if name == "helper" else 403)
        assert [seen["helper", "approvals"], seen["reader", "approvals"]] == [200, 403]
        assert seen["reader", f"approvals/{held.id}"] == 403
        assert (await asyncio.to_thread(here.control.approval, held.id)).finds[0].words == (ADDRESS,)
        for path in (tmp_path / "home").rglob("*"):
            if path.is_file():
                assert ADDRESS.encode() not in path.read_bytes(), path
        await here.answer(held.id, "deny")
        await asked


async def test_a_restart_forgets(tmp_path: Path) -> None:
    """A daemon that stops lets who waits go, and the next one knows of nothing."""
    async with house(tmp_path) as here:
        asked = here.ask("cloud")
        (held,) = await here.waiting()
        await asyncio.to_thread(here.daemon.stop)
        ended = (await asyncio.gather(asked, return_exceptions=True))[0]
        assert isinstance(ended, httpx.TransportError) or ended.status_code == 403  # type: ignore[union-attr]
        assert here.served.requests == []
    settings = (tmp_path / "home" / "config" / "settings.toml").read_text()
    daemon = await asyncio.to_thread(RunningDaemon, tmp_path / "home", settings)
    try:
        with daemon.client() as control:
            assert control.approvals().approvals == ()
            with pytest.raises(Rejected, match="nothing that waits"):
                control.approval(held.id)
    finally:
        daemon.stop()


async def test_a_preview_says_that_one_would_be_asked(tmp_path: Path) -> None:
    """And asks nobody."""
    async with house(tmp_path) as here:
        told = (await here.command("why", "--text", SAID, "-m", "cloud")).stdout

        assert "You would be asked whether it may leave for work." in told
        assert (await here.waiting(0)) == ()
