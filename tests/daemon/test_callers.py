"""Tokens: how they travel, whom they name, and what they allow."""

from __future__ import annotations

from typing import get_args

import pytest

from daemon.callers import ANONYMOUS, PREFIX, Caller, Callers, bearer, new_token, require, token_hash
from daemon.errors import Refused, Unauthorised
from daemon.settings import Client, Scope

ADMIN, EDITOR, READER = (PREFIX + letter * 43 for letter in "aer")  # the same in every process that runs tests


@pytest.fixture
def callers() -> Callers:
    return Callers(
        ADMIN,
        {"editor": Client(token_hash(EDITOR)), "reader": Client(token_hash(READER), ("read:records",))},
    )


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ({"authorization": "Bearer nl_abc"}, "nl_abc"),
        ({"authorization": "bearer  nl_abc "}, "nl_abc"),
        ({"x-api-key": "nl_abc"}, "nl_abc"),
        ({"authorization": "Bearer nl_one", "x-api-key": "nl_two"}, "nl_one"),
        ({"authorization": "Bearer ", "x-api-key": "nl_two"}, "nl_two"),
        ({"authorization": "Basic nl_abc"}, None),
        ({"authorization": "nl_abc"}, None),
        ({"x-api-key": ""}, None),
        ({}, None),
    ],
)
def test_where_a_token_is_looked_for(headers: dict[str, str], token: str | None) -> None:
    """A token comes as a bearer or as an API key, and the bearer goes first."""
    assert bearer(headers) == token


@pytest.mark.parametrize("token", [None, "sk-none", "", "NL_abc", "nl-abc"])
def test_without_a_token_of_ours_a_caller_is_anonymous(callers: Callers, token: str | None) -> None:
    """No token, and what SDKs send in place of one, may ask this machine and nothing else."""
    caller = callers.identify(token)

    assert caller is ANONYMOUS
    assert [scope for scope in get_args(Scope) if caller.may(scope)] == ["infer:local"]


@pytest.mark.parametrize("token", [PREFIX, PREFIX + "x", EDITOR[:-1], EDITOR + "x", "nl_ä\xff"])
def test_a_token_of_ours_that_is_not_known_is_refused(callers: Callers, token: str) -> None:
    """Who believes in rights that are not there is told so, in words that don't repeat the token."""
    with pytest.raises(Unauthorised) as caught:
        callers.identify(token)

    assert token.removeprefix(PREFIX) not in str(caught.value) or token == PREFIX
    assert "nearloop client add" in str(caught.value)


def test_each_client_has_its_own_scopes(callers: Callers) -> None:
    """A client's token gives its label and the scopes of the settings, and no more."""
    assert callers.identify(EDITOR) == Caller("editor", frozenset({"infer:local", "infer:cloud"}))
    assert callers.identify(READER) == Caller("reader", frozenset({"read:records"}))
    assert not callers.identify(READER).may("infer:local")


def test_the_admin_token_may_do_everything(callers: Callers) -> None:
    """The token of this run holds every scope."""
    admin = callers.identify(ADMIN)

    assert admin.name == "admin"
    assert all(admin.may(scope) for scope in get_args(Scope))


def test_the_scope_admin_holds_all_others() -> None:
    """A client with the scope `admin` needs no other scope beside it."""
    assert Caller("tray", frozenset({"admin"})).may("infer:cloud")


def test_a_revoked_token_is_refused_at_once(callers: Callers) -> None:
    """After the settings changed, a client that is gone is not known, and a new one is."""
    token = new_token()

    callers.replace({"new": Client(token_hash(token))})

    assert callers.identify(token).name == "new"
    with pytest.raises(Unauthorised):
        callers.identify(EDITOR)
    assert callers.identify(ADMIN).name == "admin"


def test_the_callers_mapping_is_not_ours_to_change() -> None:
    """A mapping that is changed after it was handed over changes nobody's rights."""
    clients = {"editor": Client(token_hash(EDITOR))}
    callers = Callers(ADMIN, clients)

    clients.clear()

    assert callers.identify(EDITOR).name == "editor"


def test_tokens_are_long_random_and_stored_as_a_hash() -> None:
    """Two tokens differ, hold 256 bits, and their hash does not show them."""
    first, second = new_token(), new_token()

    assert first != second
    assert first.startswith(PREFIX)
    assert len(first) == len(PREFIX) + 43
    assert len(token_hash(first)) == 64
    assert first not in token_hash(first)


def test_require_names_the_scope_that_is_missing() -> None:
    """A caller without a scope is refused with the command that makes a token with it."""
    require(ANONYMOUS, "infer:local")
    with pytest.raises(Refused, match="--scope read:records"):
        require(ANONYMOUS, "read:records")
