"""What a daemon tells of recipes."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from daemon import wire
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_records import START

LIGHT: Final = (
    "# Cheap: this machine answers first.\n\nSIGNAL secret keys {}\n\nSIGNAL context short {\n  max_tokens: 40\n}\n"
)
FIRST: Final = '# Mine.\nMODEL local {}\nROUTE first {\n  PRIORITY 10\n  MODEL "local"\n}\n'
SECOND: Final = FIRST.replace("first", "second")


def digest(text: str) -> str:
    """As the shelf has it."""
    return sha256(text.encode()).hexdigest()


class ToldRecipes:
    """Put into a played daemon: built-in ones, and mine.dsl with two versions. asked: bodies by call."""

    def __init__(self, daemon: PlayedDaemon) -> None:
        self.daemon = daemon
        self.name: str | None = "mine.dsl"
        self.texts: dict[str, str] = {"default": LIGHT, "light": LIGHT, "mine.dsl": SECOND}
        self.versions = [FIRST, SECOND]
        self.bodies: list[tuple[str, dict[str, Any]]] = []
        self.usable = True
        daemon.answers |= {
            "GET recipes": lambda _: self.used(),
            "GET recipes/offered": lambda _: self.offered(),
            "GET recipes/offered/text": lambda query: wire.RecipeText(self.texts[query["name"]], "dsl"),
            "GET recipes/text": lambda query: wire.RecipeText(self.versions[int(query.get("version", 0)) - 1], "dsl"),
            "GET recipes/diff": wire.RecipeDiff((wire.RecipeDifference("changed", "decisions", "first", "second"),)),
            "POST recipes/validate": lambda body: self.checked(),
            "POST recipes/use": lambda body: self._used("use", body),
            "POST recipes/rollback": lambda body: self._used("rollback", body),
            "PUT recipes/text": lambda body: self._used("write", body),
            "POST recipes/reload": lambda body: self._used("reload", {}),
            "POST recipes/offered": lambda body: self._added(body),
        }

    def used(self) -> wire.Recipes:
        """The one in use."""
        if self.name is None:
            return wire.Recipes(None)
        versions = tuple(
            wire.RecipeVersion(number, START + timedelta(hours=number), digest(text), "start" if number == 1 else "api")
            for number, text in enumerate(self.versions, 1)
        )
        path = None if self.name in ("default", "light") else f"/home/me/{self.name}"
        problem = wire.RecipeProblem("unknown-field", "warning", "ROUTE", "this part isn't here", "leave it out", 4)
        return wire.Recipes(
            self.name, path, digest(self.versions[-1]), ("default",), {"auto": "default"}, None, (problem,), versions
        )

    def offered(self) -> wire.RecipeOffers:
        """All of them."""
        return wire.RecipeOffers(
            tuple(wire.RecipeOffer(name, "." not in name, text[2:].split("\n")[0]) for name, text in self.texts.items())
        )

    def checked(self) -> wire.RecipeChecked:
        """What there is to say."""
        wrong = wire.RecipeProblem("syntax", "error", "", "a brace is missing", "close it", 3)
        return wire.RecipeChecked(self.usable, () if self.usable else (wrong,))

    def _used(self, call: str, body: dict[str, Any]) -> wire.Recipes:
        self.bodies.append((call, body))
        if call == "use":
            self.name = body["name"]
        if call == "write":
            self.versions.append(body["text"])
        return self.used()

    def _added(self, body: dict[str, Any]) -> wire.RecipeOffers:
        self.bodies.append(("add", body))
        self.texts[body["name"]] = body["text"]
        return self.offered()


def play(daemon: PlayedDaemon) -> None:
    """All of it."""
    ToldRecipes(daemon)
