"""Receipts, end to end: the bytes that arrived are the bytes that were written down, whoever asked and however it ended."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest

from daemon import wire
from daemon.client import Rejected
from daemon.receipts.files import segments
from providers.prices import AS_OF
from tests.fakes.house import CHAT, House, arrived, house, nearloop
from tests.fakes.hub import Hub as FakeHub
from tests.fakes.running import free_port
from tests.fakes.upstream import HELLO, Answer, Pause, Upstream, as_json, certificate

pytestmark = pytest.mark.slow

BUSY: Final = as_json({"error": {"message": "later"}}, 429, retry_after="0")
WORDS: Final = "mail ada.byron@analytical-engines.net, please"
MESSAGES: Final = [{"role": "user", "content": WORDS}]
PROTOCOLS: Final[dict[str, dict[str, Any]]] = {
    "/v1/chat/completions": {"messages": MESSAGES},
    "/v1/completions": {"prompt": WORDS},
    "/v1/responses": {"input": WORDS},
    "/v1/messages": {"messages": MESSAGES, "max_tokens": 50},
    "/api/chat": {"messages": MESSAGES},
    "/api/generate": {"prompt": WORDS},
}
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl command to make a CA")


async def ask(here: House[Upstream], path: str = CHAT, **more: Any) -> httpx.Response:
    return await here.client.post(path, json={"model": "cloud", **PROTOCOLS[path], **more})


def shell(line: str, folder: Path) -> str:
    """A line of docs/privacy.md as a user types it; the digest that it prints."""
    return subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, check=True).stdout.split()[0]


async def test_what_arrived_is_what_was_written_down(tmp_path: Path) -> None:
    """Hash and size are those of the provider's received bytes, retries included, for every protocol of clients."""
    asked = [(path, stream) for path in PROTOCOLS for stream in (False, True)]
    async with house(tmp_path, *[BUSY, HELLO] * len(asked)) as here:
        for path, stream in asked:
            before = len(here.served.requests)
            answer = await ask(here, path, stream=stream)
            assert answer.status_code == 200, answer.text

            id = answer.headers["x-nearloop-record"]
            told = (await asyncio.to_thread(here.control.record, id)).record.receipts
            came = [(hashlib.sha256(each.body).hexdigest(), len(each.body)) for each in here.served.requests[before:]]
            assert [(each.sha256, each.body_bytes) for each in told] == came, path
            assert len(came) == 2
            assert [(each.status, each.outcome) for each in told] == [(429, "answered"), (200, "answered")]
            assert [sum(each.masks.values()) for each in told] == [1, 1]
            assert {(each.policy, each.path, each.record) for each in told} == {
                ("balanced: masked", "/v1/chat/completions", id)
            }
            every = (await asyncio.to_thread(here.control.receipts, None, 2)).receipts
            assert tuple(reversed(every)) == told

        shown = json.loads(await here.nearloop("receipts", "show", id, "--json"))["receipts"]
        assert [each["sha256"] for each in shown] == [digest for digest, _ in came]
        assert f"{2 * len(asked)} receipts stand in the records" in await here.nearloop(
            "prove-local", "--since", "1h", check=5
        )
        assert "whole" in await here.nearloop("receipts", "verify")


async def test_the_commands_and_the_api_tell_the_same(tmp_path: Path) -> None:
    """list, show, verify, export and their JSON are the control API's bodies; an export can be checked elsewhere."""
    async with house(tmp_path, HELLO) as here:
        for _ in range(3):
            assert (await ask(here)).status_code == 200
        shown = await asyncio.to_thread(here.control.receipts, None, 50)
        listed = msgspec.json.decode(await here.nearloop("receipts", "list", "--json"), type=wire.Receipts)
        assert listed == shown
        assert [each.number for each in shown.receipts] == sorted((e.number for e in shown.receipts), reverse=True)
        newest = shown.receipts[0]
        assert await asyncio.to_thread(here.control.receipt, newest.number) == newest
        one = msgspec.json.decode(
            await here.nearloop("receipts", "show", str(newest.number), "--json"), type=wire.Receipt
        )
        assert one == newest
        assert len((await here.nearloop("receipts", "list", "--jsonl", "--limit", "2")).splitlines()) == 2
        assert "127.0.0.1 (cloud)" in (await here.nearloop("receipts", "list", "--since", "1h")).splitlines()[0]
        words = await here.nearloop("receipts", "show", str(newest.number))
        assert f"SHA-256 {newest.sha256}" in words
        assert "masked    1 EMAIL_ADDRESS" in words
        assert "TLS       none, it went in clear" in words

        chain = await asyncio.to_thread(here.control.receipt_chain)
        assert chain.whole
        assert msgspec.json.decode(await here.nearloop("receipts", "verify", "--json"), type=wire.ReceiptChain) == chain
        assert chain.head is not None
        assert "whole" in await here.nearloop("receipts", "verify", "--head", chain.head)
        await here.nearloop("receipts", "verify", "--head", "0" * 64, check=1)

        first, second, third = segments(here.daemon.paths.receipts)[0].read_bytes().splitlines()[:3]
        (tmp_path / "lines").write_bytes(b"\n".join((first, second, third, b"")))
        by_hand = shell("sed -n 2p lines | tr -d '\\n' | sha256sum", tmp_path)
        assert by_hand == json.loads(third)["before"]
        (tmp_path / "seen").write_bytes(here.served.bytes[: here.served.bytes.index(b"POST", 1)])
        oldest = shown.receipts[-1]
        assert shell("sed '1,/^\\r$/d' seen | sha256sum", tmp_path) == oldest.sha256

        out = tmp_path / "out.jsonl"
        await here.nearloop("receipts", "export", "-o", str(out))
        assert out.read_bytes() == b"".join(path.read_bytes() for path in segments(here.daemon.paths.receipts))
        assert "whole" in await here.nearloop("receipts", "verify", str(out))
        assert json.loads(await here.nearloop("receipts", "export", "--json"))["receipts"]
        await here.nearloop("receipts", "export", "--json", "--jsonl", check=2)
        await here.nearloop("receipts", "show", "999", check=1)
        await here.nearloop("receipts", "list", "--since", "soon", check=2)
        async with httpx.AsyncClient(base_url=here.daemon.url, trust_env=False) as anybody:
            for path in ("receipts", "receipts/chain", "receipts/1"):
                assert (await anybody.get(f"/nearloop/v1/{path}")).status_code in (401, 403)

        assert "links deleted" in await here.nearloop("receipts", "prune", "--older-than", "0s", "--yes")
        assert "no receipts yet" in await here.nearloop("receipts", "list")
        assert (await ask(here)).status_code == 200
        assert "were deleted by `nearloop receipts prune`" in await here.nearloop("receipts", "verify")
        assert len((await asyncio.to_thread(here.control.receipts, None, 9)).receipts) == 1
        await here.nearloop("receipts", "prune", "--older-than", "a while", "--yes", check=2)

        events = (await asyncio.to_thread(here.control.events, 0, 0)).events
        told = [(each.data["number"], each.data["outcome"]) for each in events if each.kind == "receipt"]
        assert [number for number, outcome in told if outcome is None] == sorted({number for number, _ in told})
        assert len(told) == 8


async def test_a_broken_chain_is_told_without_a_daemon(tmp_path: Path) -> None:
    """verify names the first broken link, with exit status 1; so do doctor and prove-local."""
    async with house(tmp_path, HELLO) as here:
        await ask(here)
        home, folder = here.daemon.home, here.daemon.paths.receipts
    (path,) = segments(folder)
    path.write_bytes(path.read_bytes().replace(b'"place":"cloud"', b'"place":"device"'))

    told = await asyncio.to_thread(nearloop, home, "receipts", "verify", check=1)
    assert "BROKEN: link 3 does not hold what is before it: link 2 was changed" in told
    assert f"({path.name}, line 3)" in told
    assert "the chain of receipts is broken: link 3" in await asyncio.to_thread(nearloop, home, "doctor", check=1)
    proof = await asyncio.to_thread(nearloop, home, "prove-local", "--since", "1s", check=1)
    assert "is not proven" in proof


async def test_a_daemon_that_is_killed_leaves_its_receipt(tmp_path: Path) -> None:
    """kill -9 right after the bytes arrived: the receipt is there, with no end, and the next daemon goes on behind it.

    A client that hung up before has a receipt that says that the answer was cut.
    """
    async with house(tmp_path, Answer((HELLO.pieces[0], Pause()))) as here:
        asking = asyncio.create_task(ask(here, stream=True))
        await arrived(here, 1)
        asking.cancel()
        async with asyncio.timeout(20):
            await here.served.hung_up.wait()
            while (await asyncio.to_thread(here.control.receipts, None, 1)).receipts[0].outcome is None:
                await asyncio.sleep(0.01)
        asking = asyncio.create_task(ask(here, stream=True))
        await arrived(here, 2)
        os.kill(here.daemon.process.pid, signal.SIGKILL)
        with pytest.raises(httpx.HTTPError):
            await asking
        await asyncio.to_thread(here.daemon.process.wait)

        told = json.loads(await here.nearloop("receipts", "list", "--json"))["receipts"]
        digests = [hashlib.sha256(each.body).hexdigest() for each in here.served.requests]
        assert [each["sha256"] for each in reversed(told)] == digests
        assert told[0]["outcome"] is None
        assert told[1]["outcome"] in ("cut", "silent")
        assert "its end is not written down" in await here.nearloop("receipts", "list")
    async with house(tmp_path, HELLO) as here:
        answer = await ask(here)
        assert answer.status_code == 200, answer.text

        assert "whole" in await here.nearloop("receipts", "verify")
        proof = json.loads(await here.nearloop("prove-local", "--since", "1h", "--json", check=5))
        assert [run["ended"] for run in proof["runs"]] == ["vanished", "runs"]
        assert [each["crossings"] for each in proof["left"]] == [3]


async def test_nothing_leaves_when_no_receipt_can_be_written(tmp_path: Path) -> None:
    """The provider gets not one byte; the client is told why and what to do; status warns; `auto` still answers here."""
    (tmp_path / "home" / "data").mkdir(parents=True)
    (tmp_path / "home" / "data" / "receipts").write_text("in the way")
    async with house(tmp_path, HELLO) as here:
        answer = await ask(here)
        local = await ask(here, model="local")

        assert answer.status_code == 507, answer.text
        assert answer.json()["error"]["code"] == "no_receipt"
        assert "nothing was sent" in answer.text
        assert answer.headers["x-nearloop-record"]
        assert here.served.bytes == b""
        assert local.status_code == 200
        status = await asyncio.to_thread(here.control.status)
        assert "receipts-unwritable" in [warning.code for warning in status.warnings]
        record = (await asyncio.to_thread(here.control.record, answer.headers["x-nearloop-record"])).record
        assert (record.egress, record.receipts, record.error) == ("none", (), "NotWitnessed")


@needs_openssl
async def test_an_inspecting_proxy_is_seen(tmp_path: Path) -> None:
    """When somebody else's CA vouches for a provider, the receipt names it, and status and doctor warn."""
    own, own_ca = certificate(tmp_path / "own", "/O=Provider/CN=Provider CA")
    box, box_ca = certificate(tmp_path / "box", "/O=Big Corp/CN=Inspection")
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(own_ca.read_bytes() + box_ca.read_bytes())
    for tls in (own, box):
        port = f"[server]\nport = {free_port()}\n"
        async with house(tmp_path, HELLO, tls=tls, extra=port, SSL_CERT_FILE=str(trusted)) as here:
            assert (await ask(here)).status_code == 200
            warned = [each for each in (await asyncio.to_thread(here.control.status)).warnings if "tls" in each.code]
            newest = (await asyncio.to_thread(here.control.receipts, None, 1)).receipts[0]

    assert newest.tls == wire.Tls("TLSv1.3", "Big Corp", "Inspection", "private")
    assert [each.code for each in warned] == ["tls-private-root"]
    assert "Big Corp, Inspection (a private root), before by Provider, Provider CA" in warned[0].text
    assert "a proxy on the way reads everything" in warned[0].remedy
    told = await asyncio.to_thread(nearloop, tmp_path / "home", "doctor", check=0)
    assert "signed by Big Corp, Inspection" in told


async def test_nothing_left_is_proven(tmp_path: Path) -> None:
    """A day of local answers: prove-local says so with exit status 0, whom it covers and whom not, and from what."""
    async with house(tmp_path, HELLO) as here:
        while not segments(here.daemon.paths.receipts):
            await asyncio.sleep(0.01)
        await asyncio.sleep(1.1)  # `--since 1s` has to begin behind the daemon's start
        assert (await ask(here, model="local")).status_code == 200

        told = await here.nearloop("prove-local", "--since", "1s")
        assert "nothing left this machine through Nearloop" in told
        assert "an unbroken chain" in told
        assert "until now" in told
        assert "what editors, agents and other programs send themselves" in told
        proved = await asyncio.to_thread(here.control.prove_local, "1s")
        assert (proved.verdict, proved.left, proved.records_agree) == ("nothing-left", (), 0)
        assert [run.ended for run in proved.runs] == ["runs"]
        before = await here.nearloop("prove-local", "--since", "7d", check=1)
        assert "nothing is known of before" in before

        await ask(here)
        left = await here.nearloop("prove-local", "--since", "1h", check=5)
        assert "1 request to work at 127.0.0.1 (cloud)" in left
        proof = json.loads(await here.nearloop("prove-local", "--since", "1h", "--json", check=5))
        assert (proof["verdict"], proof["records_agree"]) == ("left", 1)
        proved = await asyncio.to_thread(here.control.prove_local, "1h")
        assert [*msgspec.to_builtins(proved.left)] == proof["left"]
        assert (proved.verdict, proved.records_agree) == ("left", 1)
        with pytest.raises(Rejected, match="say since when"):
            await asyncio.to_thread(here.control.prove_local, "tomorrow")
        await here.nearloop("prove-local", "--since", "tomorrow", check=2)


async def test_commands_that_ask_somebody_leave_receipts_too(tmp_path: Path) -> None:
    """provider test and models pull write into the chain of the daemon that runs beside them."""
    with FakeHub() as hub:
        hub.files["some/model", "model.gguf"] = b"GGUF" + b"x" * 5000
        async with house(tmp_path, as_json({"data": [{"id": "big"}]})) as here:
            await here.nearloop("provider", "test", "work")
            await here.nearloop(
                "models", "pull", "some/model", "model.gguf", check=1, HF_ENDPOINT=hub.url, HF_HUB_OFFLINE=""
            )
            await ask(here, stream=True)

            told = (await asyncio.to_thread(here.control.receipts, None, 50)).receipts
            assert "whole" in await here.nearloop("receipts", "verify")
    by = [(each.by, each.purpose, each.provider) for each in reversed(told)]
    assert by[0] == ("provider test", "models", "work")
    assert by[-1] == ("daemon", "request", "work")
    assert set(by[1:-1]) == {("models pull", "download", "hub")}
    assert max(each.answer_bytes or 0 for each in told) >= 5004


async def test_an_answer_s_price(tmp_path: Path) -> None:
    """By the tokens that the provider counted, the recipe's price, else its maker's list; None where nobody named one."""
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        "version: v0.3\n"
        "providers:\n  models:\n  - name: work/big\n    pricing: {prompt_per_1m: 2.0, completion_per_1m: 10.0}\n"
        "routing:\n  modelCards:\n  - name: work/big\n  decisions:\n"
        "  - name: always\n    priority: 1\n    rules: {operator: AND, conditions: []}\n    modelRefs:\n    - model: work/big\n"
    )
    extra = f'[routing]\nrecipe = "{recipe}"\n'
    async with house(tmp_path, HELLO, extra=extra) as here:
        await ask(here, model="auto")
        await ask(here, model="cloud")
        await ask(here, model="work/openai/gpt-5-mini")

        told = (await asyncio.to_thread(here.control.receipts, None, 9)).receipts
        shown = {each.number: await here.nearloop("receipts", "show", str(each.number)) for each in told}
    listed, *told = told
    assert listed.cost_usd == pytest.approx(7 * 0.25e-6 + 2 * 2e-6)
    assert (listed.priced_by, listed.prices_as_of) == ("list", AS_OF)
    assert f"price     0.000006 USD, by its maker's list of {AS_OF}" in shown[listed.number]
    assert "price     0.000034 USD, by the recipe's price" in shown[told[1].number]
    assert (told[1].priced_by, told[1].prices_as_of, told[0].priced_by) == ("recipe", None, None)
    assert "price     not known" in shown[told[0].number]
    assert told[1].cost_usd == pytest.approx(7 * 2e-6 + 2 * 10e-6)
    assert told[1].rule
    assert told[1].rule.endswith("/always")
    assert told[0].cost_usd is None
