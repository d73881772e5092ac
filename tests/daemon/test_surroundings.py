"""What around the daemon can be in its way."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon import surroundings
from daemon.paths import make_private_directory, paths

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is fine; one that loopback does not pass by, or of another kind, has a remedy."""
    assert [sight.remedy for sight in surroundings.proxies()] == [""]

    monkeypatch.setenv("HTTPS_PROXY", "http://user:canary@proxy.invalid:3128")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    seen = surroundings.proxies()
    assert [sight.remedy for sight in seen] == [""]
    assert "canary" not in str(seen)

    monkeypatch.setenv("HTTPS_PROXY", "socks5://proxy.invalid")
    monkeypatch.delenv("NO_PROXY")
    assert sum(bool(sight.remedy) for sight in surroundings.proxies()) == 2


def test_a_desktops_file_of_rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A desktop that finds its proxies by a file of rules is told that this one is not read."""
    asked = tmp_path / ("scutil" if sys.platform == "darwin" else "gsettings")
    asked.write_text("#!/bin/sh\necho \"'auto'\"\necho 'ProxyAutoConfigEnable : 1'\n")
    asked.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    if sys.platform == "win32":
        pytest.skip("there it is in the registry")
    (_, rules) = surroundings.proxies()
    assert "(PAC)" in rules.text
    assert "HTTPS_PROXY" in rules.remedy


def test_certificates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A company's file that is not there is named by its variable."""
    assert not surroundings.certificates().remedy

    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nowhere.pem"))
    assert "SSL_CERT_FILE" in surroundings.certificates().remedy


def test_clock() -> None:
    """A time before this program was installed can't be right."""
    assert not surroundings.clock().remedy
    assert "set the clock" in surroundings.clock(datetime(2001, 1, 1, tzinfo=UTC)).remedy


@pytest.mark.skipif(sys.platform == "win32", reason="folders of a user are its own there")
def test_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record file that others can read is told with the command that mends it."""
    monkeypatch.setenv("NEARLOOP_HOME", str(tmp_path))
    mine = paths()
    make_private_directory(mine.data)
    assert [sight.remedy for sight in surroundings.permissions(mine)] == [""]

    mine.records.write_bytes(b"")
    mine.records.chmod(0o644)
    (sight,) = surroundings.permissions(mine)
    assert sight.remedy == f"`chmod go= {mine.records}`"


def test_reporting(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenVINO's reporting is off, and the check would notice if it were not."""
    monkeypatch.delenv("CI", raising=False)
    assert surroundings.reporting() == surroundings.Sight("OpenVINO's reporting is off")

    monkeypatch.setattr(
        surroundings, "_REPORTING", "import sys; sys.exit(0 if sys.modules.get('openvino_telemetry', 1) is None else 3)"
    )
    assert "NOT off" in surroundings.reporting().text
    monkeypatch.setattr(surroundings, "_REPORTING", "import nowhere_to_be_found")
    assert "can't be loaded" in surroundings.reporting().text
    assert os.environ.get("CI") is None
