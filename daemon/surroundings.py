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
_SETTING_S: Final = 3.0
_CA_VARIABLES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


class Sight(NamedTuple):
    """What was seen. remedy: empty if all is well."""

    text: str
    remedy: str = ""


def proxies() -> list[Sight]:
    """Whether a proxy is set, and whether loopback goes past it."""
    from urllib.request import getproxies, proxy_bypass

    from yarl import URL

    from providers.proxies import ProxyUnusable, proxy_for

    found = {scheme: url for scheme, url in getproxies().items() if scheme in ("http", "https", "all")}
    if not found:
        return [Sight("no proxy is set: providers are asked directly"), *_rules_of_proxies()]
    sights = [Sight(f"a proxy is used for {', '.join(sorted(found))}; this machine's own addresses are asked past it")]
    for scheme in sorted(found):
        try:
            proxy_for(URL(f"{'https' if scheme == 'all' else scheme}://provider.invalid"))
        except ProxyUnusable as error:
            sights.append(Sight("a proxy is named that can't be used", str(error)))
            break
    if not proxy_bypass("127.0.0.1"):
        remedy = "set NO_PROXY=127.0.0.1,localhost for programs that ask Nearloop; it needs none itself"
        sights.append(Sight("other programs may send what is meant for 127.0.0.1 to the proxy", remedy))
    return sights


def _rules_of_proxies() -> list[Sight]:
    """Whether the desktop wants proxies found by a file of rules, which is not followed."""
    if (setting := _auto_proxy()) is None:
        return []
    remedy = (
        "providers are asked directly: if they can't be, put the proxy itself into HTTPS_PROXY, as http://HOST:PORT"
    )
    return [Sight(f"{setting} names a file of rules for proxies (PAC), which is not read", remedy)]


def _auto_proxy() -> str | None:
    """The desktop's setting that names such a file, if there is one."""
    if sys.platform == "win32":
        return _windows_auto_proxy()
    commands = {
        "darwin": ("the system's automatic proxy configuration", ["scutil", "--proxy"], "ProxyAutoConfigEnable : 1"),
        "linux": ("GNOME's org.gnome.system.proxy", ["gsettings", "get", "org.gnome.system.proxy", "mode"], "'auto'"),
    }
    if sys.platform not in commands:
        return None
    setting, command, sign = commands[sys.platform]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SETTING_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return setting if sign in done.stdout else None


def _windows_auto_proxy() -> str | None:
    if sys.platform == "win32":
        import winreg

        place = r"Software\Microsoft\Windows\CurrentVersion\Internet Settings"
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, place) as key:
                named, _ = winreg.QueryValueEx(key, "AutoConfigURL")
        except OSError:
            return None
        return "Windows' AutoConfigURL" if named else None
    return None


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
