"""Fetching a file from a hub that has bad days: what is kept, what is begun anew, what is refused, and who gets the token."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon import downloads
from daemon.downloads import Hub, Patience
from daemon.hub_answers import NotFetched, RemoteFile, begin, endpoint, onward, source
from daemon.partial_file import DiskFull
from tests.fakes.cleared import Crossings
from tests.fakes.hub import COMMIT, Faults
from tests.fakes.hub import Hub as FakeHub
from tests.fakes.upstream import certificate

REPOSITORY = "org/repo"
FILE = "model.gguf"
CONTENT = os.urandom(3 << 20)
TOKEN = "hf_canary_token"
QUICK = Patience(tries=3, pause_s=0.001, stall_s=5)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as hub:
        hub.put(REPOSITORY, FILE, CONTENT)
        yield hub


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "model" / FILE


async def fetch(
    hub: FakeHub,
    target: Path,
    sha256: str | None = None,
    size_bytes: int | None = None,
    token: str | None = None,
    patience: Patience = QUICK,
    name: str = FILE,
) -> downloads.Fetched:
    async with Hub(hub.url, token, "0", Crossings(), patience) as asked:
        return await asked.fetch(
            RemoteFile(REPOSITORY, "main", name, sha256, size_bytes), target, lambda done, whole: None
        )


def left(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir()) if target.parent.exists() else []


async def broken_off(hub: FakeHub, target: Path, at: int) -> None:
    """An earlier try that got so far."""
    hub.faults = Faults(break_at=at)
    with pytest.raises(NotFetched, match="goes on from there"):
        await fetch(hub, target, patience=Patience(tries=1))
    hub.faults = Faults()
    hub.requests.clear()


# ---- how it should go -----------------------------------------------------------------------------------------------


async def test_a_file_comes_whole(hub: FakeHub, target: Path) -> None:
    """The file is there under its name, nothing else is, and what the hub called it is known."""
    sha256 = hub.put(REPOSITORY, FILE, CONTENT)

    got = await fetch(hub, target, sha256, len(CONTENT))

    assert target.read_bytes() == CONTENT
    assert left(target) == [FILE]
    assert got == downloads.Fetched(len(CONTENT), sha256, COMMIT)


async def test_progress_is_told(hub: FakeHub, target: Path) -> None:
    """Progress rises to all of it."""
    told: list[tuple[int, int | None]] = []
    async with Hub(hub.url, None, "0", Crossings(), QUICK) as asked:
        await asked.fetch(RemoteFile(REPOSITORY, "main", FILE), target, lambda done, whole: told.append((done, whole)))

    assert told == sorted(told)
    assert told[0] == (0, len(CONTENT))
    assert told[-1] == (len(CONTENT), len(CONTENT))


async def test_a_small_file_is_held_to_gits_digest(hub: FakeHub, target: Path) -> None:
    """What the hub keeps itself is checked by the SHA-1 that git names it by."""
    hub.put(REPOSITORY, "config.json", b"{}", small=True)

    await fetch(hub, target.with_name("config.json"), name="config.json")

    assert target.with_name("config.json").read_bytes() == b"{}"


async def test_files_are_listed_at_one_commit(hub: FakeHub) -> None:
    """A listing binds names, sizes and digests to the commit that the branch stands at."""
    async with Hub(hub.url, None, "0", Crossings(), QUICK) as asked:
        (listed,) = await asked.files(REPOSITORY, "main")

    assert (listed.name, listed.revision, listed.size_bytes) == (FILE, COMMIT, len(CONTENT))
    assert listed.sha256


async def test_a_long_listing_is_read_whole(hub: FakeHub) -> None:
    """A repository with thousands of files is listed to its end."""
    for number in range(5000):
        hub.put("org/many", f"folder/file-{number:04}.bin", b"x")
    async with Hub(hub.url, None, "0", Crossings(), QUICK) as asked:
        assert len(await asked.files("org/many", "main")) == 5000


# ---- transfers that break -------------------------------------------------------------------------------------------


async def test_a_broken_transfer_goes_on_by_itself(hub: FakeHub, target: Path) -> None:
    """Each try asks for the rest alone, as long as it brings something."""
    hub.faults = Faults(break_at=1 << 20, times=10)

    await fetch(hub, target)

    assert target.read_bytes() == CONTENT
    starts = [request.headers.get("range") for request in hub.sent("store")]
    assert starts == [None, "bytes=1048576-", "bytes=2097152-"]


async def test_a_stopped_command_goes_on_later(hub: FakeHub, target: Path) -> None:
    """What one command left, the next one completes, on the condition that the bytes are the same."""
    await broken_off(hub, target, 1_000_000)
    assert left(target) == [f"{FILE}.partial", f"{FILE}.partial.json"]

    await fetch(hub, target)

    (request,) = hub.sent("store")
    assert request.headers["range"] == "bytes=1000000-"
    assert request.headers["if-range"] == f'"store-0-{len(CONTENT)}"'
    assert request.status == 206
    assert target.read_bytes() == CONTENT


async def test_cancelling_leaves_what_came(hub: FakeHub, target: Path) -> None:
    """Ctrl-C in mid-transfer leaves a part that the next command completes."""
    hub.faults = Faults(silent_at=500_000)
    part = target.with_name(f"{FILE}.partial")
    task = asyncio.create_task(fetch(hub, target))
    async with asyncio.timeout(10):
        while not part.exists() or part.stat().st_size < 500_000:
            await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    hub.faults = Faults()

    await fetch(hub, target)

    assert hub.sent("store")[-1].status == 206
    assert target.read_bytes() == CONTENT


async def test_a_server_without_ranges_begins_anew(hub: FakeHub, target: Path) -> None:
    """If the server sends everything again, what was there is not put in front of it."""
    await broken_off(hub, target, 1_000_000)
    hub.faults = Faults(deaf=True)

    await fetch(hub, target)

    assert target.read_bytes() == CONTENT


async def test_a_changed_file_begins_anew(hub: FakeHub, target: Path) -> None:
    """If the file became another one meanwhile, no bytes of the old one stay."""
    await broken_off(hub, target, 1_000_000)
    hub.generation += 1
    changed = CONTENT[::-1]
    hub.put(REPOSITORY, FILE, changed)

    await fetch(hub, target)

    assert target.read_bytes() == changed


async def test_it_gives_up(hub: FakeHub, target: Path) -> None:
    """Tries that bring nothing are bounded, and what came before is kept."""
    hub.faults = Faults(break_at=1000)

    with pytest.raises(NotFetched, match="check the network; what came is kept"):
        await fetch(hub, target)

    assert len(hub.sent("store")) == QUICK.tries
    assert left(target) == [f"{FILE}.partial", f"{FILE}.partial.json"]


async def test_a_silent_server_is_left(hub: FakeHub, target: Path) -> None:
    """A transfer in which nothing comes is a broken one."""
    hub.faults = Faults(silent_at=1000)

    with pytest.raises(NotFetched, match="broke off"):
        await fetch(hub, target, patience=Patience(tries=1, stall_s=0.2))


async def test_busy_servers_are_asked_again(hub: FakeHub, target: Path) -> None:
    """A store that has no room now, or whose signed address ran out, is asked again through the hub."""
    for status in (503, 403):
        hub.faults = Faults(store_status=status)

        await fetch(hub, target)

        assert target.read_bytes() == CONTENT
        target.unlink()


async def test_a_long_wait_is_told(hub: FakeHub, target: Path) -> None:
    """A hub that asks to come back later is not waited for longer than a minute."""
    hub.faults = Faults(status=429, retry_after="3600")

    with pytest.raises(NotFetched, match="asks to wait 3600 s"):
        await fetch(hub, target)

    assert len(hub.requests) == 1


async def test_a_part_that_was_whole_is_only_checked(hub: FakeHub, target: Path) -> None:
    """A command that ended between the last byte and the last step costs no second transfer."""
    await broken_off(hub, target, 1_000_000)
    target.with_name(f"{FILE}.partial").write_bytes(CONTENT)

    await fetch(hub, target)

    assert target.read_bytes() == CONTENT
    assert not hub.requests


# ---- what is wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blind", [False, True], ids=["by the hub's digest", "by the catalogue's digest"])
async def test_a_wrong_file_is_deleted(blind: bool, hub: FakeHub, target: Path) -> None:
    """A file with another digest than the hub or the catalogue names gets no name, and nothing of it stays."""
    sha256 = hub.put(REPOSITORY, FILE, CONTENT)
    hub.faults = Faults(wrong=True, blind=blind)

    with pytest.raises(NotFetched, match="another digest than it should have and was deleted"):
        await fetch(hub, target, sha256 if blind else None)

    assert left(target) == []


async def test_a_part_that_was_tampered_with_is_found(hub: FakeHub, target: Path) -> None:
    """Resuming trusts nobody's bytes: the whole file is hashed at the end."""
    await broken_off(hub, target, 1_000_000)
    target.with_name(f"{FILE}.partial").write_bytes(bytes(1_000_000))

    with pytest.raises(NotFetched, match="deleted"):
        await fetch(hub, target)

    assert left(target) == []


async def test_another_file_than_the_catalogues_is_not_taken_in(hub: FakeHub, target: Path) -> None:
    """If the hub itself says that it has another size or digest, not one byte of the file is asked for twice."""
    for sha256, size in (("0" * 64, None), (None, 5)):
        with pytest.raises(NotFetched, match="nothing was taken in"):
            await fetch(hub, target, sha256, size)
        assert left(target) == []


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        (Faults(status=404), "check the name, the revision and HF_ENDPOINT"),
        (Faults(status=401, error_code="RepoNotFound"), "there is no model.gguf of org/repo"),
        (Faults(gated="other"), "put one of yours into HF_TOKEN"),
        (Faults(status=418), "HTTP 418"),
        (Faults(location="ftp://127.0.0.1/x"), "no address"),
        (Faults(location="http://[::1"), "no address"),
    ],
    ids=["404", "no repository", "gated", "odd status", "odd scheme", "no address"],
)
async def test_refusals_say_what_to_do(faults: Faults, told: str, hub: FakeHub, target: Path) -> None:
    """What the hub refuses is told in one sentence with a remedy, and asked once."""
    hub.faults = faults

    with pytest.raises(NotFetched, match=told):
        await fetch(hub, target)

    assert len(hub.requests) == 1
    assert left(target) == []


async def test_redirects_end(hub: FakeHub, target: Path) -> None:
    """A circle of redirects is left."""
    hub.faults = Faults(location=f"{hub.url}/{REPOSITORY}/resolve/main/{FILE}")

    with pytest.raises(NotFetched, match="from address to address"):
        await fetch(hub, target)


async def test_nobody_there(target: Path) -> None:
    """A hub that can't be reached is tried a few times, and the network is named."""
    with FakeHub() as gone:
        pass

    with pytest.raises(NotFetched, match=r"127\.0\.0\.1 can't be reached: .*check the network"):
        await fetch(gone, target)


async def test_a_full_disk_is_told_before(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit is not begun."""
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1, 1, 64 << 20))

    with pytest.raises(DiskFull, match="64 MB free, and 67 MB are needed"):
        await fetch(hub, target)

    assert left(target) == []


def test_endpoints_are_addresses() -> None:
    """HF_ENDPOINT has to be an address without a password in it."""
    for wrong in ("huggingface.co", "ftp://x.org", "https://", "https://me:pw@x.org", "https://x.org:99999"):
        with pytest.raises(NotFetched, match="HF_ENDPOINT is no address"):
            Hub(wrong, None, "0", Crossings())


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["etag", "content-length", "content-range"]), st.text(max_size=40)),
    st.dictionaries(st.sampled_from(["etag", "x-linked-etag", "x-linked-size", "x-repo-commit"]), st.text(max_size=70)),
)
def test_any_headers_can_be_read(headers: dict[str, str], said: dict[str, str]) -> None:
    """Headers of any content are understood or left aside, and nothing but a digest or a commit passes for one."""
    found = source(headers, said)

    assert found.size_bytes is None or found.size_bytes >= 0
    assert found.digest is None or len(found.digest) in (40, 64)
    assert begin(headers) >= 0


def test_sizes_of_no_file_are_left_aside() -> None:
    """A number with thousands of digits is no size."""
    assert source({}, {"x-linked-size": "9" * 5000}).size_bytes is None
    assert source({"content-range": "bytes 0-1/" + "9" * 5000}, {}).size_bytes is None


# ---- the token ------------------------------------------------------------------------------------------------------


async def test_the_token_goes_to_the_hub_alone(hub: FakeHub, target: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A gated file comes with HF_TOKEN, which the store that the hub sends us to never sees, nor any log."""
    caplog.set_level(0)
    hub.faults = Faults(gated=TOKEN)

    await fetch(hub, target, token=TOKEN)

    assert hub.sent("hub")[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert hub.sent("store")
    assert TOKEN not in repr(hub.sent("store"))
    assert TOKEN not in caplog.text


async def test_a_token_that_may_not_is_not_shown(hub: FakeHub, target: Path) -> None:
    """If the token does not open the repository, the message says so without it."""
    hub.faults = Faults(gated="hf_other")

    with pytest.raises(NotFetched, match="does not let HF_TOKEN have") as caught:
        await fetch(hub, target, token=TOKEN)

    assert TOKEN not in str(caught.value)


def test_no_token_in_clear() -> None:
    """A token is not sent without TLS, except on this machine."""
    with pytest.raises(NotFetched, match="in clear"):
        Hub("http://hub.example", TOKEN, "0", Crossings())


def test_a_public_hub_does_not_send_us_home() -> None:
    """Redirects of a hub elsewhere lead neither onto this machine nor out of TLS."""
    hub = endpoint("https://hub.example")
    for location in ("https://127.0.0.1/x", "https://localhost/x", "http://cdn.example/x"):
        with pytest.raises(NotFetched, match="not followed"):
            onward(hub, hub, location)
    signed = "https://cdn.example/a%2Fb?Signature=c%2Fd~e"
    assert str(onward(hub, hub, signed)) == signed


# ---- the way there --------------------------------------------------------------------------------------------------


async def test_the_proxy_is_used(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub elsewhere is asked through the environment's proxy."""
    hub.put(REPOSITORY, "config.json", b"{}", small=True)
    monkeypatch.setenv("http_proxy", hub.url)
    monkeypatch.delenv("no_proxy", raising=False)

    async with Hub("http://hub.example", None, "0", Crossings(), QUICK) as asked:
        await asked.fetch(RemoteFile(REPOSITORY, "main", "config.json"), target, lambda done, whole: None)

    assert hub.requests[0].path.startswith("http://hub.example/org/repo/resolve/")
    assert target.read_bytes() == b"{}"


async def test_a_companys_certificate_is_trusted(tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub behind a CA of one's own is refused with the remedy, and reached once SSL_CERT_FILE names it."""
    tls, ca = certificate(tmp_path / "tls")
    with FakeHub(tls) as hub:
        hub.put(REPOSITORY, "config.json", b"{}", small=True)
        with pytest.raises(NotFetched, match="SSL_CERT_FILE"):
            await fetch(hub, target, name="config.json")

        monkeypatch.setenv("SSL_CERT_FILE", str(ca))
        await fetch(hub, target, name="config.json")

    assert target.read_bytes() == b"{}"
