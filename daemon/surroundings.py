"""What around the daemon can be in its way: proxies, certificates, the clock, permissions, a library that reports."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from daemon.paths import Paths

_REPORTING: Final = (
    "import sys\nfrom edge_models.openvino_gate import genai\ngenai()\n"
    "sys.exit(0 if sys.modules.get('openvino_telemetry', 1) is None else 3)"
)
_IMPORT_S: Final = 60.0
_CA_VARIABLES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


class Sight(NamedTuple):
    """What was seen. remedy: empty if all is well."""

    text: str
    remedy: str = ""


def proxies() -> list[Sight]:
    """Whether a proxy is set, and whether loopback goes past it."""
    from urllib.request import getproxies, proxy_bypass

    found = {scheme: url for scheme, url in getproxies().items() if scheme in ("http", "https", "all")}
    if not found:
        return [Sight("no proxy is set: providers are asked directly")]
    sights = [Sight(f"a proxy is used for {', '.join(sorted(found))}; this machine's own addresses are asked past it")]
    if any(not url.startswith("http://") and "://" in url for url in found.values()):
        sights.append(
            Sight("a proxy is named that isn't http://", "providers can't be asked through it: name an http:// one")
        )
    if not proxy_bypass("127.0.0.1"):
        remedy = "set NO_PROXY=127.0.0.1,localhost for programs that ask Nearloop; it needs none itself"
        sights.append(Sight("other programs may send what is meant for 127.0.0.1 to the proxy", remedy))
    return sights


def certificates() -> Sight:
    """Whether the files of trusted certificates can be read."""
    named = [variable for variable in _CA_VARIABLES if os.environ.get(variable)]
    from providers.http import tls_context

    try:
        tls_context()
    except OSError as error:
        return Sight(
            f"a file of trusted certificates can't be read ({error.strerror or error})",
            f"correct {', '.join(named) or 'the system store'}: no provider can be asked over https:// without",
        )
    return Sight(f"certificates: the system's{' and those of ' * bool(named)}{', '.join(named)}")


def clock(now: datetime | None = None) -> Sight:
    """Whether the time is later than this program's: certificates are refused by a clock that is wrong."""
    installed = datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)
    moment = now or datetime.now(UTC)
    if moment < installed:
        return Sight(
            f"the clock says {moment:%Y-%m-%d %H:%M} UTC, which is before Nearloop was installed",
            "set the clock: providers' certificates are refused by a wrong one, and records get wrong times",
        )
    return Sight(f"clock: {moment:%Y-%m-%d %H:%M} UTC")


def permissions(paths: Paths) -> list[Sight]:
    """Whether others can read what is this user's alone. Nothing to see on Windows, where folders of a user are its own."""
    if sys.platform == "win32":
        return []
    sights = []
    for path in (paths.settings, paths.records, paths.admin_token, paths.data, paths.runtime):
        try:
            stat = path.stat()
        except OSError:
            continue
        if stat.st_uid != os.getuid():
            sights.append(
                Sight(f"{path} belongs to another user", f"`chown {os.getuid()} {path}`, or use another NEARLOOP_HOME")
            )
        elif stat.st_mode & 0o077 and path != paths.settings:
            sights.append(Sight(f"{path} can be read by others", f"`chmod go= {path}`"))
    return sights or [Sight("records, tokens and settings are this user's alone")]


def reporting() -> Sight:
    """Whether OpenVINO's reporting is off, looked at in a process of its own that really loads it."""
    try:
        done = subprocess.run([sys.executable, "-c", _REPORTING], capture_output=True, timeout=_IMPORT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return Sight(
            "whether OpenVINO's reporting is off could not be looked at", "look again when the machine is less busy"
        )
    if done.returncode == 3:
        return Sight(
            "OpenVINO's reporting is NOT off", "report this: it is a fault of Nearloop; do not use it until then"
        )
    if done.returncode:
        return Sight("OpenVINO can't be loaded here", "see the check of the engine")
    return Sight("OpenVINO's reporting is off")
