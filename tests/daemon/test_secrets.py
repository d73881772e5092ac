"""Providers' keys: each source, the rules of the keyring, and that no key is ever shown."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.chainer import ChainerBackend
from keyring.backends.fail import Keyring as Absent
from keyring.backends.null import Keyring as Null
from keyring.errors import KeyringLocked, NoKeyringError, PasswordSetError

from daemon import secrets
from daemon.secrets import KeyringFailed, NoKey
from providers.contract import Key

KEY = "sk-canary-0815"
ROOT = Path(__file__).resolve().parents[2]
not_windows = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no mode bits")


class Shelf(KeyringBackend):
    """A keyring in memory, which passes for one of the system's."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class OfTheSystem(Shelf):
    """One that says that it is the system's."""


OfTheSystem.__module__ = "keyring.backends.SecretService"


class Plaintext(Shelf):
    """One that keeps keys readable, as keyrings.alt does."""


Plaintext.__module__ = "keyrings.alt.file"


@pytest.fixture(autouse=True)
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(secrets.BACKEND_VARIABLE, raising=False)
    monkeypatch.delenv(secrets.CREDENTIALS_VARIABLE, raising=False)


def chosen(monkeypatch: pytest.MonkeyPatch, backend: Any) -> Any:
    """Let keyring choose this one."""
    monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
    return backend


# ---- the keyring ----------------------------------------------------------------------------------------------------


def test_a_key_is_kept_and_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key is kept under our service and the provider's name, found again, and gone after its deletion."""
    shelf = chosen(monkeypatch, OfTheSystem())

    assert secrets.get("work") is None
    secrets.set("work", Key(KEY))
    found = secrets.get("work")

    assert shelf.kept == {("nearloop", "work"): KEY}
    assert found is not None and found.reveal() == KEY
    assert secrets.delete("work") is True
    assert secrets.delete("work") is False
    assert secrets.get("work") is None


def test_several_keys_of_one_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a label in the keyring, which no provider's name can be mistaken for; one is deleted and the others stay."""
    shelf = chosen(monkeypatch, OfTheSystem())
    secrets.set("work", Key("first"))
    secrets.set("work", Key("second"), "spare")

    assert shelf.kept == {("nearloop", "work"): "first", ("nearloop", "work/spare"): "second"}
    found = secrets.read("work", "keyring:spare", "cloud")
    assert found is not None and (found.reveal(), found.label) == ("second", "keyring:spare")
    assert secrets.delete("work", "spare")
    with pytest.raises(NoKey, match="`nearloop key set work --as spare`"):
        secrets.read("work", "keyring:spare", "cloud")
    assert shelf.kept == {("nearloop", "work"): "first"}


class Locker(Shelf):
    """Windows' Credential Locker, as far as its limit goes."""


Locker.__module__ = "keyring.backends.Windows"


def test_a_key_that_windows_can_not_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of 1,280 characters is kept; of one more it is said that Windows keeps no such key, and where it can be instead."""
    locker = chosen(monkeypatch, Locker())
    longest = "k" * 1280
    secrets.set("work", Key(longest))

    with pytest.raises(
        KeyringFailed, match=r"no key of more than 1280 characters, and this one has 1281.*env:NAME"
    ) as caught:
        secrets.set("other", Key(longest + "k"))

    assert list(locker.kept.values()) == [longest]
    assert "kkk" not in str(caught.value)


def test_what_is_too_long_is_not_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A key with something behind it is no key, instead of the first part of one."""
    monkeypatch.setenv("LONG_KEY", "k" * (secrets.KEY_LIMIT_BYTES + 1))
    path = tmp_path / "key"
    path.write_text("k" * (secrets.KEY_LIMIT_BYTES + 1))
    path.chmod(0o600)

    for source in ("env:LONG_KEY", f"file:{path}"):
        with pytest.raises(NoKey, match="it is longer than"):
            secrets.read("work", source, "cloud")
    with pytest.raises(NoKey, match="it is longer than"):
        secrets.key_from("k" * (secrets.KEY_LIMIT_BYTES + 1))


def test_what_is_kept_and_no_key_can_be_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever another program put there."""
    shelf = chosen(monkeypatch, OfTheSystem())
    shelf.kept["nearloop", "work"] = "two words"

    assert secrets.delete("work") is True
    assert shelf.kept == {}


@pytest.mark.parametrize("backend", [Plaintext(), Null(), Shelf()])
def test_a_keyring_that_is_not_the_system_s_is_refused(monkeypatch: pytest.MonkeyPatch, backend: Any) -> None:
    """A readable file does not pass for a keyring because a package was installed; the error names it and the way out."""
    chosen(monkeypatch, backend)

    with pytest.raises(KeyringFailed, match=r"not the operating system's.*PYTHON_KEYRING_BACKEND=.*env:NAME"):
        secrets.set("work", Key(KEY))

    assert not getattr(backend, "kept", {})


def test_a_keyring_that_the_user_named_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who names a backend means it."""
    shelf = chosen(monkeypatch, Plaintext())
    monkeypatch.setenv(secrets.BACKEND_VARIABLE, "keyrings.alt.file.Plaintext")

    secrets.set("work", Key(KEY))

    assert shelf.kept


def test_of_several_keyrings_the_system_s_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where keyring chains several, only the system's gets the key, though another stands before it."""
    system, plain = OfTheSystem(), Plaintext()

    class Chain(ChainerBackend):
        backends = property(lambda self: [plain, system])

    chosen(monkeypatch, Chain())

    secrets.set("work", Key(KEY))

    assert (len(system.kept), plain.kept) == (1, {})


def test_no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any keyring the error says what to start, or where else a key can be."""
    chosen(monkeypatch, Absent())

    with pytest.raises(KeyringFailed, match=r"there is no keyring here: start .*file:PATH"):
        secrets.get("work")


class Broken(OfTheSystem):
    """One that fails as told."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def get_password(self, service: str, username: str) -> str | None:
        raise self.error

    def set_password(self, service: str, username: str, password: str) -> None:
        raise self.error


Broken.__module__ = "keyring.backends.SecretService"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyringLocked("x"), "locked: unlock"),
        (NoKeyringError("x"), "no keyring here"),
        (PasswordSetError(f"can't store {KEY}"), r"failed \(PasswordSetError\)"),
        (OSError(KEY), r"failed \(OSError\)"),
        (RuntimeError(KEY), r"failed \(RuntimeError\)"),
    ],
)
def test_a_keyring_that_fails(monkeypatch: pytest.MonkeyPatch, error: Exception, words: str) -> None:
    """Whatever a keyring raises is one error with a remedy, and without what the keyring was given."""
    chosen(monkeypatch, Broken(error))

    for call in (lambda: secrets.get("work"), lambda: secrets.set("work", Key(KEY))):
        with pytest.raises(KeyringFailed, match=words) as caught:
            call()
        assert KEY not in f"{caught.value!r}{caught.value.__cause__!r}"
        assert caught.value.__suppress_context__


def test_a_keyring_that_waits_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """A keyring that never answers costs its time limit and no more."""
    release = threading.Event()

    class Silent(OfTheSystem):
        def get_password(self, service: str, username: str) -> str | None:
            release.wait(30)
            return None

    Silent.__module__ = "keyring.backends.SecretService"
    chosen(monkeypatch, Silent())
    monkeypatch.setattr(secrets, "TIMEOUT_S", 0.1)
    began = time.monotonic()

    with pytest.raises(KeyringFailed, match=r"didn't answer within 0\.1 s: unlock it"):
        secrets.get("work")

    assert time.monotonic() - began < 2
    release.set()


def test_a_keyring_that_waits_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """A process whose keyring hangs still ends."""
    script = (
        "import time, keyring; from daemon import secrets\n"
        "secrets.TIMEOUT_S = 0.2; keyring.get_keyring = lambda: time.sleep(60)\n"
        "try: secrets.get('work')\n"
        "except secrets.KeyringFailed: print('left behind')\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=20, cwd=ROOT)

    assert (done.stdout, done.returncode) == ("left behind\n", 0), done.stderr


SECRET_SERVICE = """
import sys
from daemon import secrets
from providers.contract import Key
if sys.argv[1] == "set":
    secrets.set("work", Key("sk-kept"))
print(secrets.keyring_name(), secrets.get("work").reveal())
"""


@pytest.mark.skipif(
    not (shutil.which("gnome-keyring-daemon") and shutil.which("dbus-run-session")),
    reason="needs gnome-keyring and dbus (apt-get install gnome-keyring dbus dbus-x11)",
)
def test_the_real_secret_service(tmp_path: Path) -> None:
    """GNOME Keyring on a session bus keeps a key that another process finds."""
    home = tmp_path / "real"
    home.mkdir(mode=0o700)
    script = tmp_path / "script.py"
    script.write_text(SECRET_SERVICE)
    unlock = 'printf "\\n" | gnome-keyring-daemon --unlock --components=secrets >/dev/null'
    command = f'{unlock} && "$PYTHON" "$SCRIPT" set && "$PYTHON" "$SCRIPT" get'
    env = {
        "PATH": os.environ["PATH"], "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "PYTHONPATH": str(ROOT),
        "PYTHON": sys.executable, "SCRIPT": str(script),
    }  # fmt: skip

    done = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", command], env=env, capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.endswith("sk-kept") and "SecretService" in line for line in lines)


def test_no_bus_no_wait(tmp_path: Path) -> None:
    """On a machine without a bus and a desktop, the real keyring library fails at once, in words."""
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    script = (
        "from daemon import secrets\ntry: secrets.get('work')\nexcept secrets.KeyringFailed as error: print(error)\n"
    )

    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=30)

    if sys.platform.startswith("linux"):
        assert "keyring" in done.stdout and "env:NAME" in done.stdout, done.stderr


# ---- other sources --------------------------------------------------------------------------------------------------


def revealed(source: str, place: Any = "cloud") -> str | None:
    key = secrets.read("work", source, place)
    return key.reveal() if key else None


def test_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """env:NAME is that variable, without blanks around it; unset and empty are the same error."""
    monkeypatch.setenv("WORK_KEY", f" {KEY}\n")
    assert revealed("env:WORK_KEY") == KEY

    monkeypatch.setenv("WORK_KEY", " ")
    for source in ("env:WORK_KEY", "env:NOT_THERE"):
        with pytest.raises(NoKey, match="isn't set where the daemon runs"):
            revealed(source)


def test_a_credential(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """credential:NAME is what systemd put into its folder, and nothing outside of it."""
    with pytest.raises(NoKey, match="start it as a service"):
        revealed("credential:work")
    (tmp_path / "creds").mkdir()
    (tmp_path / "creds" / "work").write_text(f"{KEY}\n")
    (tmp_path / "outside").write_text(KEY)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "creds"))

    assert revealed("credential:work") == KEY
    with pytest.raises(NoKey, match="LoadCredential="):
        revealed("credential:other")
    for name in ("../outside", "..", "/etc/passwd", ".hidden"):
        with pytest.raises(NoKey, match="no name of a credential"):
            revealed(f"credential:{name}")


@not_windows
def test_a_file(tmp_path: Path) -> None:
    """file:PATH is read if it is the user's alone, and comes with a caution."""
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    for mode in (0o600, 0o400):
        path.chmod(mode)
        assert revealed(f"file:{path}") == KEY
    for mode in (0o640, 0o604, 0o700, 0o644):
        path.chmod(mode)
        with pytest.raises(NoKey, match=r"not for you alone.*chmod 600"):
            revealed(f"file:{path}")
    assert "readable in a file" in (secrets.caution(f"file:{path}") or "")
    assert secrets.caution("keyring") is None


@not_windows
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else(tmp_path: Path) -> None:
    """A file that another user owns is refused, whatever its mode is."""
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(0o600)
    os.chown(path, 12345, 12345)

    with pytest.raises(NoKey, match="not for you alone"):
        revealed(f"file:{path}")


@not_windows
def test_what_is_no_file(tmp_path: Path) -> None:
    """A missing file, a folder and a pipe are told as such, and nobody waits for a pipe."""
    os.mkfifo(tmp_path / "pipe", 0o600)

    for name in ("nothing", "pipe", "."):
        with pytest.raises(NoKey, match="can't be read"):
            revealed(f"file:{tmp_path / name}")


@not_windows
@pytest.mark.parametrize(
    "content", [b"", b"\n", b"two words", b"sk\r\nX-Evil: 1", b"sk\x00", "schlüssel".encode(), b"\xff\xfe"]
)
def test_what_is_no_key(tmp_path: Path, content: bytes) -> None:
    """What can't stand in a header is no key, and the error doesn't show it."""
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)

    with pytest.raises(NoKey, match="is no key") as caught:
        revealed(f"file:{path}")

    assert "Evil" not in str(caught.value)


def test_no_key_is_for_this_machine_only() -> None:
    """`none` is fine where nothing leaves, and refused anywhere else."""
    assert revealed("none", "device") is None
    for place in ("lan", "cloud"):
        with pytest.raises(NoKey, match="for this machine only"):
            revealed("none", place)


def test_a_source_that_is_none() -> None:
    """An unknown source is named."""
    with pytest.raises(NoKey, match="no source of keys"):
        revealed("vault:x")


# ---- keys -----------------------------------------------------------------------------------------------------------


def test_a_key_does_not_show_itself() -> None:
    """Neither repr nor str nor a format of a key holds it."""
    key = Key(KEY)

    assert KEY not in f"{key!r} {key} {[key]}"
    assert not hasattr(key, "__dict__")
