"""Who asks."""

from __future__ import annotations

import pytest

from tests.fakes.asking import looked, without_models

RECIPE = """
SIGNAL authz admin { role: "administrator" subjects: [{ kind: "Group" name: "platform-admins" }] }
SIGNAL authz editor { role: "editor" subjects: [{ kind: "User" name: "zed" }, { kind: "User" name: "code" }] }
"""
GROUPS = {"zed": ("platform-admins",), "other": ("zed",)}


@pytest.mark.parametrize(
    ("client", "names"),
    [
        ("zed", {"admin", "administrator", "editor"}),
        ("code", {"editor"}),
        ("other", set()),
        (None, set()),
    ],
)
async def test_roles_come_with_the_token(client: str | None, names: set[str]) -> None:
    """By its label, and by the groups that the settings give it. Nobody has one without a token."""
    parts = without_models(groups_of=lambda label: GROUPS.get(label, ()))
    claims = {"user": "zed", "metadata": {"user": "zed", "groups": "platform-admins"}}
    seen = await looked(RECIPE, "hello", parts=parts, client=client, extras=claims)

    assert {each.name for each in seen if each.signal == "authz"} == names
