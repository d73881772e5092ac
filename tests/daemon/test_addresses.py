"""Addresses to listen on."""

from __future__ import annotations

import pytest

from daemon.addresses import address_of, beyond, cards, is_loopback, listened, url, urls
from daemon.errors import BadRequest


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.168.1.5", "192.168.1.5"),
        ("localhost", "127.0.0.1"),
        ("[fd00:0:0::5]", "fd00::5"),
        ("FD00::5", "fd00::5"),
        ("0.0.0.0", "0.0.0.0"),
        ("::", "::"),
    ],
)
def test_an_address_in_its_usual_form(text: str, address: str) -> None:
    """Brackets, capitals and zeros that may be left out make no other address of it."""
    assert address_of(text) == address


@pytest.mark.parametrize(
    "text",
    ["", "laptop.local", "192.168.1", "192.168.1.5:6327", "192.168.1.0/24", "http://192.168.1.5", "224.0.0.1", "ff02::1",
     "255.255.255.255", "fe80::1%eth0", "::ffff:192.168.1.5"],
)  # fmt: skip
def test_what_is_no_address_of_one_machine_is_refused(text: str) -> None:
    """Names, networks, ports, groups, and forms that programs read differently."""
    with pytest.raises(ValueError, match="address"):
        address_of(text)


@pytest.mark.parametrize(
    ("host", "stays"),
    [("127.0.0.1", True), ("127.1.2.3", True), ("::1", True), ("10.0.0.1", False), ("::ffff:127.0.0.1", False), ("", False)],
)  # fmt: skip
def test_what_stays_on_this_machine(host: str, stays: bool) -> None:
    """Loopback in its plain forms; everything else counts as from beyond."""
    assert is_loopback(host) is stays


def test_without_anything_said_it_is_loopback_alone() -> None:
    """And addresses of loopback need no flag."""
    assert listened((), expose=False) == ("127.0.0.1",)
    assert listened(("::1", "127.0.0.1", "127.0.0.2"), expose=False) == ("127.0.0.1", "::1", "127.0.0.2")


@pytest.mark.parametrize(
    ("asked", "all_"),
    [
        (("172.17.0.1",), ("127.0.0.1", "172.17.0.1")),
        (("0.0.0.0", "172.17.0.1"), ("0.0.0.0",)),
        (("::",), ("127.0.0.1", "::")),
        (("fd00::5", "0.0.0.0"), ("0.0.0.0", "fd00::5")),
        (("::", "0.0.0.0", "::1"), ("0.0.0.0", "::")),
    ],
)
def test_what_is_said_twice_is_listened_on(asked: tuple[str, ...], all_: tuple[str, ...]) -> None:
    """Loopback stays the first, or what covers it; an address that another one covers is listened on once."""
    assert listened(asked, expose=True) == all_
    assert beyond(all_) == tuple(each for each in all_ if each != "127.0.0.1")


@pytest.mark.parametrize("asked", [("172.17.0.1",), ("0.0.0.0",), ("::",), ("127.0.0.1", "fd00::5")])
def test_an_address_alone_is_not_enough(asked: tuple[str, ...]) -> None:
    """The refusal names the address and the flag."""
    with pytest.raises(BadRequest, match=f"{asked[-1]}: add --expose"):
        listened(asked, expose=False)


@pytest.mark.parametrize("asked", [(), ("127.0.0.1",), ("::1",)])
def test_a_flag_alone_is_not_enough(asked: tuple[str, ...]) -> None:
    """The refusal says how to name an address."""
    with pytest.raises(BadRequest, match="--host"):
        listened(asked, expose=True)


def test_urls() -> None:
    """An IPv6 address stands in brackets, and loopback is nowhere that others find."""
    assert url("fd00::5", 6327) == "http://[fd00::5]:6327"
    assert urls(("127.0.0.1", "172.17.0.1", "fd00::5"), 1) == ("http://172.17.0.1:1", "http://[fd00::5]:1")


def test_all_of_them_are_told_one_by_one() -> None:
    """Nobody can connect to 0.0.0.0, so the addresses that the machine has now are told."""
    had = [own for own in cards() if ":" not in own and not is_loopback(own)]

    assert urls(("0.0.0.0",), 6327) == tuple(url(own, 6327) for own in had or ["0.0.0.0"])
    assert "127.0.0.1" in cards()
