"""What a worker sees of the daemon's environment."""

from __future__ import annotations

import pytest

from edge_models.confinement.environment import scrubbed


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "HF_TOKEN",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_PROFILE",
        "DB_PASSWORD",
        "TOKEN",
        "anthropic_api_key",
        "MY_KEY",
        "SSH_AUTH_SOCK",
        "DBUS_SESSION_BUS_ADDRESS",
        "HTTPS_PROXY",
        "https_proxy",
        "CREDENTIALS_DIRECTORY",
        "SENTRY_DSN",
        "GITHUB_PAT",
        "PGPASSWORD",
        "MYSQL_PWD",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ],
)
def test_what_is_or_leads_to_a_secret_is_left_out(name: str) -> None:
    """Keys, tokens and passwords by any usual name, and the addresses of those who keep them, are not passed on."""
    assert scrubbed({name: "canary", "PATH": "/bin"}, ()) == {"PATH": "/bin"}


def test_what_the_user_keeps_a_key_in_is_left_out() -> None:
    """A variable that the settings name as a key's place is not passed on, whatever it is called, in any case."""
    assert scrubbed({"WORK": "canary", "Work": "canary", "LANG": "C"}, ["work"]) == {"LANG": "C"}


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "LD_LIBRARY_PATH",
        "NEARLOOP_HOME",
        "OMP_NUM_THREADS",
        "PYTHONDONTWRITEBYTECODE",
        "LANG",
        "TOKENIZERS_PARALLELISM",
        "KEYBOARD",
        "OPENVINO_LOG_LEVEL",
        "XDG_RUNTIME_DIR",
        "TMPDIR",
        "HF_HUB_OFFLINE",
        "MONKEY",
        "PATHEXT",
        "AUTHOR",
        "PWD",
        "OLDPWD",
    ],
)
def test_everything_else_is_kept(name: str) -> None:
    """Engines and drivers find what they are steered by."""
    assert scrubbed({name: "value"}, ()) == {name: "value"}
