"""The policy over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from daemon.boundary.policy import Policies
from daemon.control.policy_routes import policy_routes
from daemon.settings import Kind, SettingsFile
from tests.fakes.control import CALLERS, READER, controlling

PATH = "/nearloop/v1/privacy/policy"
SETTINGS = """
[policy]
classes = { EMAIL_ADDRESS = "ask", secret = "device", photo = "allow" }
[providers.lab]
base_url = "https://lab.example.invalid/v1"
classes = { PERSON = "device" }
[projects.open-source]
privacy = "open"
"""


def test_what_is_done_with_each_class(tmp_path: Path) -> None:
    """Of everybody by all classes, with what says so; of others where it is another thing. Only the admin may read it."""
    path = tmp_path / "settings.toml"
    path.write_text(SETTINGS)
    file = SettingsFile(path)
    with controlling(policy_routes(Policies(file.settings), file, CALLERS)) as api:
        told: dict[str, Any] = api.get(PATH).json()
        api.headers["authorization"] = f"Bearer {READER}"
        assert api.get(PATH).status_code == 403

    of_all = {each["kind"]: (each["treatment"], each["by"]) for each in told["classes"]}
    assert tuple(of_all) == get_args(Kind)
    assert of_all["EMAIL_ADDRESS"] == ("ask", "class")
    assert of_all["PERSON"] == ("mask", "preset")
    assert of_all["secret"] == ("stay", "signal")
    assert of_all["photo"] == ("pass", "class")
    assert of_all["readable_picture"] == ("mask", "preset")
    assert of_all["identity_document"] == of_all["picture"] == ("stay", "preset")
    assert [(each["kind"], each["treatment"]) for each in told["providers"]["lab"]] == [("PERSON", "stay")]
    project = {each["kind"]: each["treatment"] for each in told["projects"]["open-source"]}
    assert project["secret"] == "mask"
    assert project["PERSON"] == project["EMAIL_ADDRESS"] == "pass"
    assert (told["privacy"], told["sinks"]) == ("balanced", "alias")
