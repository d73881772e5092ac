"""Programs as rows: those with a token, and those that can be connected."""

from __future__ import annotations

from msgspec.structs import replace

from daemon import wire
from tests.fakes import told_clients
from tests.fakes.told_records import a_day
from tui.tables.clients import SCOPES, USUAL, Entry, Use, command, detail, entries, row, uses

URL = "http://127.0.0.1:6327"


def test_who_is_connected_stands_once() -> None:
    """A client's token and the program that it was made for are one row; what can be connected stands below."""
    found = entries(told_clients.clients().clients, told_clients.programs())

    assert [each.key for each in found] == [
        "client claude-code", "client zed", "client my-script", "program aider", "program codex", "program env"
    ]  # fmt: skip
    assert [row(each, Use())[2].words for each in found][1:4] == ["connected", "has a token", "not connected"]


def test_what_each_asked() -> None:
    """Requests and how many stayed, by client, nobody's apart; and what they cost today, in the daemon's sums."""
    found = uses(a_day())

    assert (found["zed"].requests, found["zed"].stayed, found[None].requests) == (3, 2, 3)
    assert row(Entry("x", wire.ClientInfo("zed", USUAL)), found["zed"])[5].words == "67 %"
    zed = Entry("x", wire.ClientInfo("zed", USUAL))
    assert row(zed, found["zed"])[6].words == "–"
    use = replace(found["zed"], today=wire.Sums("zed", 3, 0.5, priced=2, plan=1))
    assert row(zed, use)[6].words == "$0.50+plan"
    assert "cost today$0.50+plan (1 plan)" in "\n".join(str(line) for line in detail(zed, use, URL, 90))


def test_the_command_connects_or_takes_it_back() -> None:
    """As a user types it."""
    zed = told_clients.programs()[2]

    assert command(Entry("x", None, zed)) == "nearloop connect zed"
    assert command(Entry("x", wire.ClientInfo("zed", USUAL), zed)) == "nearloop connect zed --undo"
    assert command(Entry("x", wire.ClientInfo("mine", USUAL))) == "nearloop client revoke mine"


def test_the_detail_says_what_it_may() -> None:
    """In words, with the scope's name; and where it asks."""
    told = "\n".join(str(line) for line in detail(Entry("x", wire.ClientInfo("all", tuple(SCOPES))), Use(), URL, 100))

    assert all(f"{about} ({name})" in told for name, about in SCOPES.items())
    assert URL in told
    assert "nearloop connect aider" in str(detail(Entry("x", None, told_clients.programs()[0]), Use(), URL, 80))
