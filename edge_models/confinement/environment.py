"""What of the daemon's environment a worker gets to see: no keys, and no addresses of those who keep some."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

_SECRET: Final = re.compile(
    r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE|PAT|DSN)S?(_|$)"
    r"|PASSWORD|PASSWD|SECRET|CREDENTIAL|_PWD$|^AWS_|^AZURE_",
    re.IGNORECASE,
)
_DOORS: Final = frozenset(
    {
        "SSH_AUTH_SOCK",
        "GPG_AGENT_INFO",
        "DBUS_SESSION_BUS_ADDRESS",  # the way to the keyring
        "CREDENTIALS_DIRECTORY",  # systemd's
        "http_proxy",  # often with a password in it
        "https_proxy",
        "all_proxy",
    }
)
_HIDDEN: Final[set[str]] = set()


def hide(names: Collection[str]) -> None:
    """Variables that hold keys, by the settings: from now on no process of ours gets them."""
    _HIDDEN.update(name.casefold() for name in names)


_FOLDED_DOORS: Final = frozenset(name.casefold() for name in _DOORS)


def scrubbed(environment: Mapping[str, str], keys: Collection[str]) -> dict[str, str]:
    """The environment without what is or leads to a secret. keys: names that the user said hold keys."""
    hidden = {name.casefold() for name in keys} | _HIDDEN
    return {
        name: value
        for name, value in environment.items()
        if not (_SECRET.search(name) or name.casefold() in _FOLDED_DOORS or name.casefold() in hidden)
    }
