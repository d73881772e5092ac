"""`nearloop provider` and `nearloop key`, as a user types them, against a real server and a real keyring library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
import pytest

from daemon.cli.main import main
from daemon.errors import BadSettings
from daemon.paths import Paths
from daemon.settings import Provider, SettingsFile, parse
from daemon.wire import Discovery
from tests.fakes.keyring_shelf import SHELF
from tests.fakes.upstream import Answer, Received, Upstream, as_json, on_a_thread, serving_on_a_thread

pytestmark = pytest.mark.slow

NEARLOOP: Final = [sys.executable, "-m", "daemon.cli.main"]
ROOT: Final = Path(__file__).resolve().parents[2]
KEY: Final = "sk-canary-0815"


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A keyring that the user named."""
    (tmp_path / "my_shelf.py").write_text(SHELF)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{tmp_path}")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "my_shelf.Shelf")
    monkeypatch.setenv("SHELF", str(tmp_path / "shelf.json"))
    return tmp_path / "shelf.json"


@pytest.fixture
def server() -> Iterator[Upstream]:
    """A provider's server with two models."""
    with on_a_thread(as_json({"data": [{"id": "big"}, {"id": "small"}]})) as served:
        yield served


def nearloop(*args: str, check: int = 0, input: str | None = None) -> str:
    """Run the command to its end and return what it said."""
    done = subprocess.run([*NEARLOOP, *args], capture_output=True, text=True, timeout=60, input=input, cwd=ROOT)
    assert done.returncode == check, done.stdout + done.stderr
    assert KEY not in done.stdout + done.stderr
    return done.stdout + done.stderr


def in_process(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[object, str]:
    """The same without a process of its own: the exit status, and what was said."""
    with pytest.raises(SystemExit) as ended:
        main(list(args))
    said = capsys.readouterr()
    assert KEY not in said.out + said.err
    return ended.value.code, said.out + said.err


def providers(where: Paths) -> dict[str, Provider]:
    return parse(where.settings.read_text()).providers


def test_a_known_vendor_needs_only_its_name(where: Paths) -> None:
    """`provider add` of a vendor writes its address and what it takes; a server of this machine counts as that, as it says."""
    assert "nearloop key set openai" in nearloop("provider", "add", "openai")
    assert "this machine" in nearloop("provider", "add", "ollama", "--model", "qwen3:8b")
    nearloop("provider", "add", "vllm")

    assert providers(where) == {
        "openai": Provider("https://api.openai.com/v1"),
        "ollama": Provider("http://127.0.0.1:11434/v1", models=("qwen3:8b",), key="none", place="device"),
        "vllm": Provider("http://127.0.0.1:8000/v1", key="none", place="device", accepts=("top_k",)),
    }
    listed = nearloop("provider", "list")
    assert "openai: https://api.openai.com/v1 (openai-chat, cloud), key: keyring" in listed
    assert "ollama: http://127.0.0.1:11434/v1 (openai-chat, device), key: none, models: qwen3:8b" in listed


def test_known_vendors_are_listed(where: Paths) -> None:
    """With their places, and those that were never tried are marked."""
    listed = nearloop("provider", "list", "--known")

    assert "openai: https://api.openai.com/v1 (openai-chat, cloud), untested" in listed
    assert "ollama: http://127.0.0.1:11434/v1 (openai-chat, device), untested" in listed
    assert "other-nearloop: --url http://OTHER-MACHINE:6327/v1 (openai-chat, lan)\n" in listed


def test_edits_keep_comments(where: Paths) -> None:
    """Adding and removing leaves what the user wrote as it was."""
    where.settings.parent.mkdir(parents=True)
    before = '# mine\nversion = 1\n\n[records] # few\nkeep_days = 3\n\n[providers.old]  # first\nbase_url = "https://o.example/v1"\n'
    where.settings.write_text(before)

    nearloop(
        "provider", "add", "work", "--url", "https://w.example/v1", "--model", "a", "--model", "b", "--key", "env:W"
    )
    assert list(providers(where)) == ["old", "work"]
    assert providers(where)["work"] == Provider("https://w.example/v1", models=("a", "b"), key="env:W")
    nearloop("provider", "remove", "work")

    assert where.settings.read_text().split() == before.split()
    assert "no provider work" in nearloop("provider", "remove", "work", check=1)


@pytest.mark.parametrize(
    "text",
    [
        'providers.old.base_url = "https://o.example/v1"\n',
        '[providers]\nold = { base_url = "https://o.example/v1" }\n',
        'providers = { old = { base_url = "https://o.example/v1" } }\n',
        '[providers.old]\nbase_url = "https://o.example/v1"\n[server]\nport = 7000\n',
    ],
    ids=["dotted", "inline provider", "inline table", "not last"],
)
def test_every_way_to_write_providers_can_be_edited(where: Paths, text: str) -> None:
    """However the user wrote the table of providers, one can be added behind the others and taken out again."""
    where.settings.parent.mkdir(parents=True)
    where.settings.write_text(text)
    file, old = SettingsFile(where.settings), Provider("https://o.example/v1")
    new = Provider("http://127.0.0.1:1/v1", models=("a",), key="none", place="device")

    assert list(file.add_provider("new", new).providers.items()) == [("old", old), ("new", new)]
    assert list(file.remove_provider("old").providers.items()) == [("new", new)]
    assert file.remove_provider("new").providers == {}


def test_a_place_that_can_not_be_stops_the_start(where: Paths) -> None:
    """Settings that call a far address near are refused, with the provider's name."""
    with pytest.raises(BadSettings, match=r"\[providers\.x\]: place = .device. needs a loopback address"):
        parse('[providers.x]\nbase_url = "https://x.example/v1"\nplace = "device"\n')


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["mine"], "no known vendor"),
        (["Auto", "--url", "https://x.example/v1"], "a name is 1 to 40"),
        (["auto", "--url", "https://x.example/v1"], "none of auto"),
        (["mine", "--url", "x.example"], "must start with https://"),
        (["mine", "--url", "https://me:sk-canary-0815@x.example/v1"], "take it out"),
        (["mine", "--url", "https://x.example/v1", "--place", "device"], "needs a loopback address"),
        (["mine", "--url", "https://x.example/v1", "--wire", "smoke"], "--wire is one of"),
        (["mine", "--url", "https://x.example/v1", "--key", "sk-plain"], "--key is keyring"),
        (["mine", "--url", "https://x.example/v1", "--place", "moon"], "moon"),
    ],
)
def test_what_can_not_be_added(where: Paths, capsys: pytest.CaptureFixture[str], args: list[str], words: str) -> None:
    """A wrong name, address, place, wire or key is refused in a sentence, and nothing is written."""
    status, said = in_process(capsys, "provider", "add", *args)

    assert (status, words in said) == (2, True), said
    assert not where.settings.exists()


def test_what_a_provider_may_see_is_said(where: Paths) -> None:
    """A loopback address that isn't confirmed, an open line and a key in a file are told at once."""
    assert "until you confirm" in nearloop("provider", "add", "tunnel", "--url", "http://127.0.0.1:9/v1")
    assert "anybody on the way" in nearloop("provider", "add", "open", "--url", "http://o.example/v1")
    assert "readable in a file" in nearloop("provider", "add", "f", "--url", "https://f.example/v1", "--key", "file:/k")
    assert "already" in nearloop("provider", "add", "f", "--url", "https://f.example/v1", check=2)


def test_a_key_from_the_keyring_opens_the_provider(where: Paths, shelf: Path, server: Upstream) -> None:
    """A key that was piped in is in the keyring, is listed without being shown, and is what the server gets."""
    nearloop("provider", "add", "work", "--url", server.url, "--model", "big", "--model", "huge")
    assert "missing: work has no key" in nearloop("key", "list")
    assert "nearloop key set work" in nearloop("provider", "test", "work", check=1)

    assert "in the keyring" in nearloop("key", "set", "work", input=f"{KEY}\n")

    assert json.loads(shelf.read_text()) == {"nearloop/work": KEY}
    assert "work: keyring, there" in nearloop("key", "list")
    assert "2 models" in nearloop("key", "test", "work")
    told = nearloop("provider", "test", "work")
    assert "2 models" in told and "doesn't list huge" in told
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert all(request.method == "GET" for request in server.requests)
    assert "deleted" in nearloop("key", "remove", "work")
    assert json.loads(shelf.read_text()) == {}
    assert "no key of work" in nearloop("key", "remove", "work", check=1)
    assert KEY not in where.settings.read_text()


def test_what_is_no_key_is_not_kept(where: Paths, shelf: Path) -> None:
    """An empty or broken key is refused, and so is a provider that nobody knows."""
    nearloop("provider", "add", "openai")

    assert "is no key" in nearloop("key", "set", "openai", input="\n", check=1)
    assert "is no key" in nearloop("key", "set", "openai", input="two words\n", check=1)
    assert "no provider nobody" in nearloop("key", "set", "nobody", input=KEY, check=1)
    assert not shelf.exists()


def test_a_key_elsewhere_is_told(where: Paths, shelf: Path) -> None:
    """Storing a key that the settings don't use says so."""
    nearloop("provider", "add", "openai", "--key", "env:OPENAI_API_KEY")

    assert 'settings.toml says `key = "env:OPENAI_API_KEY"`' in nearloop("key", "set", "openai", input=KEY)


def test_without_a_keyring_nothing_hangs(where: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a keyring each command ends, with the way out."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    nearloop("provider", "add", "openai")

    for command in (("key", "set", "openai"), ("key", "test", "openai"), ("key", "remove", "openai")):
        assert "there is no keyring here" in nearloop(*command, check=1, input=KEY)
    assert "missing: there is no keyring" in nearloop("key", "list")


def test_doctor_looks_at_keys(where: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`doctor` names each key that is missing or weak, with the remedy, and asks nobody."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    file = tmp_path / "key"
    file.write_text(KEY)
    file.chmod(0o600)
    nearloop("provider", "add", "openai")
    nearloop("provider", "add", "ollama")
    nearloop("provider", "add", "groq", "--key", "env:NOT_THERE")
    nearloop("provider", "add", "plain", "--url", "http://p.example/v1", "--key", f"file:{file}")

    findings = json.loads(nearloop("doctor", "--json", check=1))

    told = {
        (each["check"], each["severity"]): each["text"]
        for each in findings
        if each["check"] in ("keyring", "providers")
    }
    assert "should be in it" in told["keyring", "error"]
    assert "provider groq can't be asked" in told["providers", "error"]
    assert not any("provider openai" in each["text"] for each in findings), "a keyring that fails is told once"
    texts = [each["text"] + each["remedy"] for each in findings]
    assert any("plain" in text and "readable in a file" in text for text in texts)
    assert any("plain" in text and "https://" in text for text in texts)
    assert any("provider ollama" in text and "needs none" in text for text in texts)


@pytest.mark.parametrize(("pid", "told"), [(os.getpid(), True), (2**22 + 1, False)], ids=["running", "gone"])
def test_a_running_daemon_needs_a_restart(
    where: Paths, capsys: pytest.CaptureFixture[str], pid: int, told: bool
) -> None:
    """An edit under a running daemon says when it takes effect; a note that a crash left behind says nothing."""
    where.runtime.mkdir(parents=True)
    where.discovery.write_bytes(msgspec.json.encode(Discovery(1, pid, "0", datetime.now(UTC))))

    status, said = in_process(capsys, "provider", "add", "openai")

    assert (status, "`nearloop up` make it take effect" in said) == (0, told)


# ---- what a cloud may cost a day ------------------------------------------------------------------------------------


def limits(where: Paths) -> dict[str, float | None]:
    return {name: spent.day_usd for name, spent in parse(where.settings.read_text()).spending.providers.items()}


def test_a_piped_key_gets_the_usual_limit(where: Paths, shelf: Path) -> None:
    """Without a terminal nobody is asked: five dollars a day, which is said; another one or none by an option; one that is
    set stays.
    """
    nearloop("provider", "add", "openai")
    said = nearloop("key", "set", "openai", input=KEY)
    assert "Nothing was said of what it may cost" in said
    assert "openai may cost at most $5 a day ([spending.providers.openai] in settings.toml)" in said
    assert limits(where) == {"openai": 5.0}

    assert "at most $2.5 a day" in nearloop("key", "set", "openai", "--limit", "2.5", input=KEY)
    assert "may cost what the settings say: at most $2.5 a day" in nearloop("key", "set", "openai", input=KEY)
    assert limits(where) == {"openai": 2.5}
    assert "without a limit" in nearloop("key", "set", "openai", "--no-limit", input=KEY)
    assert limits(where).get("openai") is None
    assert "exclude each other" in nearloop("key", "set", "openai", "--limit", "1", "--no-limit", input=KEY, check=2)
    for wrong in ("-1", "nan", "inf", "much"):
        assert "an amount in USD" in nearloop("key", "set", "openai", "--limit", wrong, input=KEY, check=2)
    assert KEY not in where.settings.read_text()


def test_no_limit_where_nothing_is_paid(where: Paths, shelf: Path) -> None:
    """A server in the network is not asked about; and a key that is no key leaves no limit behind."""
    nearloop("provider", "add", "lab", "--url", "http://10.0.0.7:8000/v1", "--key", "keyring")
    assert "cost" not in nearloop("key", "set", "lab", input=KEY)
    nearloop("provider", "add", "openai")
    nearloop("key", "set", "openai", input="two words", check=1)

    assert limits(where) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
@pytest.mark.parametrize(("typed", "expected"), [("", 5.0), ("12.5", 12.5), ("none", None), ("lots\n7", 7.0)])
def test_at_a_terminal_it_is_asked(where: Paths, shelf: Path, typed: str, expected: float | None) -> None:
    """The key is not shown while it is typed, and the limit is asked for: enter takes five dollars a day."""
    file = SettingsFile(where.settings)
    file.add_provider("openai", Provider("https://api.openai.com/v1"))

    said = at_a_terminal(("key", "set", "openai"), (("Key: ", KEY), ("or none [5]: ", typed)))

    assert KEY not in said
    assert "is in the keyring" in said
    assert limits(where).get("openai") == expected
    assert json.loads(shelf.read_text()) == {"nearloop/openai": KEY}


def at_a_terminal(args: tuple[str, ...], talk: tuple[tuple[str, str], ...]) -> str:
    """Run the command at a terminal of its own, and type each answer when its prompt is there."""
    import fcntl
    import pty
    import select
    import termios

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*NEARLOOP, *args], stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)
    said, waiting = "", list(talk)
    try:
        while True:
            if not select.select([ours], [], [], 30)[0]:
                raise AssertionError(f"it said no more: {said}")
            try:
                more = os.read(ours, 4096)
            except OSError:  # the other end is closed
                more = b""
            if not more:
                break
            said += more.decode()
            if waiting and waiting[0][0] in said:
                os.write(ours, f"{waiting.pop(0)[1]}\n".encode())
        assert process.wait(10) == 0, said
    finally:
        process.kill()
        os.close(ours)
    assert not waiting, said
    return said


# ---- several keys ---------------------------------------------------------------------------------------------------


class Strict(Upstream):
    """A server that takes some keys, and no others."""

    def __init__(self, *keys: str) -> None:
        super().__init__()
        self.taken = list(keys)

    def choose(self, request: Received) -> Answer:
        if request.headers.get("authorization", "").removeprefix("Bearer ") not in self.taken:
            return as_json({"error": {"message": f"wrong: {request.headers}", "code": "invalid_api_key"}}, 401)
        return as_json({"data": [{"id": "big"}]})


@pytest.fixture
def strict() -> Iterator[Strict]:
    with serving_on_a_thread(Strict("sk-good-1", "sk-good-2")) as served:
        yield served


def test_several_keys_are_kept_listed_tested_and_removed(where: Paths, shelf: Path, strict: Strict) -> None:
    """`--as` gives each a name in the keyring and in the settings; `test` tries each; `list` says of each whether it is there."""
    nearloop("provider", "add", "work", "--url", strict.url)
    nearloop("key", "set", "work", "--no-limit", input="sk-good-1")
    nearloop("key", "set", "work", "--as", "spare", input=KEY)
    nearloop("key", "set", "work", "--as", "third", input="sk-good-2")

    assert json.loads(shelf.read_text()) == {
        "nearloop/work": "sk-good-1", "nearloop/work/spare": KEY, "nearloop/work/third": "sk-good-2",
    }  # fmt: skip
    assert providers(where)["work"].sources == ("keyring", "keyring:spare", "keyring:third")
    tested = nearloop("key", "test", "work", check=1)
    assert "accepts its key (keyring): 1 models" in tested and "accepts its key (keyring:third)" in tested
    assert "work rejected its key (HTTP 401, invalid_api_key)" in tested and "(keyring:spare)" in tested
    assert "1 models" in nearloop("provider", "test", "work")

    nearloop("key", "remove", "work", "--as", "third")
    told = json.loads(nearloop("key", "list", "--json"))
    assert [(each["source"], each["trouble"]) for each in told["providers"][0]["keys"]] == [
        ("keyring", None), ("keyring:spare", None),
    ]  # fmt: skip
    assert providers(where)["work"].sources == ("keyring", "keyring:spare")
    assert "work: keyring:spare, there" in nearloop("key", "list")
    assert "key remove work --as spare" in nearloop("provider", "remove", "work")
    assert "a label is" in nearloop("key", "set", "work", "--as", "../up", input=KEY, check=2)


def test_rotation_keeps_the_old_key_until_the_new_one_works(where: Paths, shelf: Path, strict: Strict) -> None:
    """A key that the provider does not take changes nothing, unless nobody is to be asked; one that it takes is kept."""
    nearloop("provider", "add", "work", "--url", strict.url)
    assert "is no key" in nearloop("key", "rotate", "work", input="", check=1)
    nearloop("key", "set", "work", "--no-limit", input="sk-good-1")

    assert "the old key stays: work rejected its key" in nearloop("key", "rotate", "work", input=KEY, check=1)
    assert json.loads(shelf.read_text()) == {"nearloop/work": "sk-good-1"}
    said = nearloop("key", "rotate", "work", input="sk-good-2")
    assert "accepts the new key: 1 models" in said and "take the old one back" in said
    assert json.loads(shelf.read_text()) == {"nearloop/work": "sk-good-2"}
    asked = len(strict.requests)
    nearloop("key", "rotate", "work", "--untested", input=KEY)
    assert json.loads(shelf.read_text()) == {"nearloop/work": KEY}
    assert len(strict.requests) == asked
    assert "has no key keyring:spare" in nearloop("key", "rotate", "work", "--as", "spare", input=KEY, check=1)
