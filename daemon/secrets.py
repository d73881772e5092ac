"""Providers' keys, and the only import of keyring.

A keyring can wait for a person who isn't there (a locked one prompts), so it is asked in a thread of its own, which is left
behind after TIMEOUT_S: it neither holds up the daemon nor its end. Only the operating system's own store passes for a
keyring: packages such as keyrings.alt put files with readable keys in its place as soon as they are installed, so anything
else has to be named by the user in PYTHON_KEYRING_BACKEND.

What goes wrong is told without its cause (`from None`): a keyring's exception could hold what it was given.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from daemon.errors import NearloopError, Refused
from daemon.paths import at_home
from providers.contract import Key

SERVICE: Final = "nearloop"
TIMEOUT_S: Final = 5.0
BACKEND_VARIABLE: Final = "PYTHON_KEYRING_BACKEND"
CREDENTIALS_VARIABLE: Final = "CREDENTIALS_DIRECTORY"
KEY_LIMIT_BYTES: Final = 16 * 1024
WINDOWS_LIMIT_BYTES: Final = 2560
"""CRED_MAX_CREDENTIAL_BLOB_SIZE of wincred.h; keyring writes two bytes for each character."""

_OF_THE_SYSTEM: Final = ("SecretService", "kwallet", "libsecret", "macOS", "Windows")
"""Modules of keyring.backends that keep keys where the operating system does."""
_ELSEWHERE: Final = 'or keep the key elsewhere: `key = "env:NAME"` or `"file:PATH"` in settings.toml'
_PRINTABLE: Final = re.compile(r"[\x21-\x7e]+")

T = TypeVar("T")


class NoKey(NearloopError):
    """There is no key where it should be, or it can't be used."""


class KeyringFailed(NearloopError):
    """The keyring is locked, silent, absent, or none of the operating system's."""


# ---- the keyring ----------------------------------------------------------------------------------------------------


def get(provider: str, label: str | None = None) -> Key | None:
    """The key in the keyring; None if there is none. label: which of several; None: the first. Raises KeyringFailed."""
    value = _ask(lambda backend: backend.get_password(SERVICE, _account(provider, label)))
    return _usable(value, "the keyring") if value is not None else None


def set(provider: str, key: Key, label: str | None = None) -> None:
    """Keep a key in the keyring. Raises KeyringFailed."""

    def keep(backend: Any) -> None:
        size_bytes = len(key.reveal().encode("utf-16-le"))
        if type(backend).__module__ == "keyring.backends.Windows" and size_bytes > WINDOWS_LIMIT_BYTES:
            raise KeyringFailed(
                f"Windows' Credential Locker keeps no key of more than {WINDOWS_LIMIT_BYTES // 2} characters, and this one "
                f'has {size_bytes // 2}: keep it elsewhere: `key = "env:NAME"` or `"file:PATH"` in settings.toml'
            )
        backend.set_password(SERVICE, _account(provider, label), key.reveal())

    _ask(keep)


def delete(provider: str, label: str | None = None) -> bool:
    """Take a key out of the keyring, whatever is kept there; False if there was none. Raises KeyringFailed."""
    account = _account(provider, label)
    if _ask(lambda backend: backend.get_password(SERVICE, account)) is None:
        return False
    _ask(lambda backend: backend.delete_password(SERVICE, account))
    return True


def _account(provider: str, label: str | None) -> str:
    return f"{provider}/{label}" if label else provider  # no provider's name has a slash


def keyring_name() -> str:
    """Which keyring is used, in its own words. Raises KeyringFailed."""
    return str(_ask(lambda backend: backend.name))


def _ask(call: Callable[[Any], T]) -> T:
    """Call the keyring in a thread that is left behind if it doesn't answer."""
    answers: list[T] = []
    failures: list[KeyringFailed] = []

    def work() -> None:
        try:
            answers.append(_translated(call))
        except KeyringFailed as failure:
            failures.append(failure)

    thread = threading.Thread(target=work, name="nearloop-keyring", daemon=True)
    thread.start()
    thread.join(TIMEOUT_S)
    if answers:
        return answers[0]
    if failures:
        raise failures[0]
    raise KeyringFailed(
        f"the keyring didn't answer within {TIMEOUT_S:g} s: unlock it (it may show a prompt), {_ELSEWHERE}"
    )


def _translated(call: Callable[[Any], T]) -> T:
    try:
        return call(_backend())
    except KeyringFailed:
        raise
    except Exception as error:  # noqa: BLE001  # always raised again; backends bring exceptions of their own
        match type(error).__name__:
            case "NoKeyringError":
                text = f"there is no keyring here: start the desktop's (GNOME Keyring, KWallet), {_ELSEWHERE}"
            case "KeyringLocked" | "InitError" | "LockedException" | "PromptDismissedException":
                text = f"the keyring is locked: unlock it by logging in to the desktop, {_ELSEWHERE}"
            case name:
                text = f"the keyring failed ({name}): look at it with the desktop's own tool, {_ELSEWHERE}"
        raise KeyringFailed(text) from None


def _backend() -> Any:
    """The operating system's store, or what the user named. Raises KeyringFailed, and whatever keyring raises."""
    import keyring  # 40 ms, and it looks at D-Bus
    from keyring.errors import NoKeyringError

    chosen = keyring.get_keyring()
    if type(chosen).__module__ == "keyring.backends.fail":
        raise NoKeyringError
    if os.environ.get(BACKEND_VARIABLE):
        return chosen
    chain = getattr(chosen, "backends", None)  # several are installed: the first one of the system's
    for backend in chain if isinstance(chain, list) else [chosen]:
        place = type(backend).__module__.split(".")
        if place[:2] == ["keyring", "backends"] and place[2] in _OF_THE_SYSTEM:
            return backend
    kind = f"{type(chosen).__module__}.{type(chosen).__qualname__}"
    raise KeyringFailed(
        f"the keyring that is set up here is {kind}, which is not the operating system's: keys could lie readable on the "
        f"disk. If that is meant, set {BACKEND_VARIABLE}={kind}; {_ELSEWHERE}"
    )


# ---- all sources ----------------------------------------------------------------------------------------------------


def read(provider: str, source: str, place: Literal["device", "lan", "cloud"]) -> Key | None:
    """The key of a provider from where settings.toml says. Blocks up to TIMEOUT_S. None: it needs none.

    Raises NoKey, KeyringFailed.
    """
    kind, _, name = source.partition(":")
    match kind:
        case "none":
            if place != "device":
                raise NoKey(
                    f'{provider} has `key = "none"`, which is for this machine only, and it counts as {place}: add '
                    '`place = "device"` if it runs here, or give it a key'
                )
            return None
        case "keyring":
            key = get(provider, name or None)
            if key is None:
                which = f" --as {name}" if name else ""
                raise NoKey(f"{provider} has no key in the keyring: `nearloop key set {provider}{which}` stores it")
        case "env":
            value = os.environ.get(name, "").strip()
            if not value:
                raise NoKey(f"{provider}'s key should be in {name}, which isn't set where the daemon runs")
            key = _usable(value, name)
        case "credential":
            key = _usable(_credential(provider, name), f"the credential {name}")
        case "file":
            try:
                path = at_home(name)
            except Refused as error:
                raise NoKey(f"{provider}'s key file {error}") from error
            key = _usable(_file(provider, path), name)
        case _:
            raise NoKey(
                f"{provider}: {source!r} is no source of keys: keyring, keyring:LABEL, env:NAME, credential:NAME, file:PATH "
                "or none"
            )
    key.label = source
    return key


def in_keyring(source: str) -> bool:
    """Whether that is where the keyring keeps it."""
    return source.partition(":")[0] == "keyring"


def caution(source: str) -> str | None:
    """What is weak about a source, for everybody who shows settings."""
    if source.startswith("file:"):
        return "its key lies readable in a file, for each program that you run and each backup: `nearloop key set` is safer"
    return None


def _credential(provider: str, name: str) -> str:
    folder = os.environ.get(CREDENTIALS_VARIABLE)
    if not folder:
        raise NoKey(
            f"{provider}'s key is a systemd credential, and {CREDENTIALS_VARIABLE} isn't set: start it as a service"
        )
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", name) or name.startswith("."):
        raise NoKey(f"{provider}: {name!r} is no name of a credential")
    try:
        return _read(Path(folder) / name)
    except OSError as error:
        raise NoKey(f"{provider}'s credential {name} can't be read: {error.strerror}; see LoadCredential=") from error


def _file(provider: str, path: Path) -> str:
    try:
        return _read(path, private=True)
    except PermissionError as error:
        raise NoKey(
            f"{provider}'s key file {path} is not for you alone: `chown $USER {path}` and `chmod 600 {path}`"
        ) from error
    except OSError as error:
        raise NoKey(f"{provider}'s key file {path} can't be read: {error.strerror}") from error


def _read(path: Path, private: bool = False) -> str:
    """A file, as far as it could be a key. private: PermissionError unless it is the user's, with mode 0600 or less."""
    if not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(errno.ENOENT, "it is not there, or no file")
    with path.open("rb") as file:
        info = os.fstat(file.fileno())
        if private and sys.platform != "win32":
            if info.st_uid != os.getuid() or stat.S_IMODE(info.st_mode) & 0o177:
                raise PermissionError
        return file.read(KEY_LIMIT_BYTES + 1).decode(errors="replace")


def _usable(value: str, where: str) -> Key:
    """A key can stand in a header: printable, without blanks, and of some length."""
    if len(value) > KEY_LIMIT_BYTES:
        raise NoKey(f"what is in {where} is no key: it is longer than {KEY_LIMIT_BYTES} characters")
    value = value.strip()
    if not _PRINTABLE.fullmatch(value):
        raise NoKey(f"what is in {where} is no key: it is empty, or has blanks or signs that no key has")
    return Key(value)


def key_from(typed: str) -> Key:
    """A key that the user typed or piped. Raises NoKey."""
    return _usable(typed, "the input")
