"""Who may look through the glass wall."""

from __future__ import annotations

from daemon.callers import Callers, token_hash
from daemon.control.wall_routes import wall_routes
from daemon.settings import Client
from daemon.wall import Wall
from providers.contract import Message, Request, Text
from tests.fakes.clock import HeldClock
from tests.fakes.control import ADMIN, READER, controlling

HELPER = "nl_" + "h" * 40
CALLERS = Callers(
    ADMIN,
    {"reader": Client(token_hash(READER), ("read:records",)), "helper": Client(token_hash(HELPER), ("admin",))},
)
PATH = "/nearloop/v1/records/" + "a" * 16 + "/wall"


def test_it_is_the_owner_s_alone() -> None:
    """A client's token sees no words, whatever it may do else, and neither does nobody's."""
    wall = Wall(HeldClock())
    wall.open(Request(id="a" * 16, model="auto", protocol="test", messages=(Message("user", (Text("secret words"),)),)))
    with controlling(wall_routes(wall, CALLERS)) as api:
        assert api.get(PATH).json()["texts"][0]["text"] == "secret words"
        for token in (READER, HELPER, "nl_wrong", ""):
            api.headers["authorization"] = f"Bearer {token}"
            refused = api.get(PATH)
            assert refused.status_code in (401, 403)
            assert "secret words" not in refused.text


def test_what_is_not_held_says_so() -> None:
    """It is no error: a record has no wall after a while."""
    with controlling(wall_routes(Wall(HeldClock()), CALLERS)) as api:
        told = api.get(PATH)

        assert told.status_code == 200
        assert (told.json()["held"], told.json()["requests"]) == ("gone", 64)
