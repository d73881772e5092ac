"""The documentation tells the truth: it names what there is, and only that."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from daemon.cli.main import COMMANDS
from daemon.protocols.errors import TABLE
from daemon.settings import (
    Budget,
    Client,
    ContextBand,
    Keywords,
    LocalModel,
    OnFailure,
    Policy,
    Pool,
    Project,
    Provider,
    Records,
    Routing,
    Server,
    Settings,
    Signals,
    Tools,
    parse,
)

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link points to a file that is there."""
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_settings_example_is_valid_and_whole() -> None:
    """The example in docs/config.md parses, and shows every key that there is."""
    text = (ROOT / "docs" / "config.md").read_text()
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example

    parse(example[1])

    for shape in (
        Settings,
        Server,
        LocalModel,
        Pool,
        Provider,
        Budget,
        Policy,
        Routing,
        Tools,
        Project,
        Signals,
        Keywords,
        ContextBand,
        OnFailure,
        Records,
        Client,
    ):
        for key in shape.__struct_fields__:
            assert re.search(rf"^{key} = |^\[(?:(?:signals|tools)\.)?{key}[.\]]", example[1], re.MULTILINE), key


def test_every_command_is_documented() -> None:
    """docs/config.md has a line for each command."""
    text = (ROOT / "docs" / "config.md").read_text()

    for command in COMMANDS:
        assert f"`nearloop {command}" in text, command


def test_every_client_error_is_documented() -> None:
    """docs/connect.md names each code that a client can meet today."""
    text = (ROOT / "docs" / "connect.md").read_text()
    inside = {"internal_error", "record_store", "not_cleared", "bad_recipe", "changed_meanwhile", "version_needed"}

    for _, code in TABLE.values():
        if code not in inside:
            assert f"`{code}`" in text, code


def test_changelog_has_a_place_for_the_next_line() -> None:
    """There is an Unreleased section."""
    assert "\n## Unreleased\n" in (ROOT / "CHANGELOG.md").read_text()
