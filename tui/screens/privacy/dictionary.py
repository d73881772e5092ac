"""The user's own words: which are private though nothing shows it, and which are not."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from tui.link import Link
from tui.panels.writing import said, wrapped
from tui.screens.ask import Ask
from tui.screens.confirm import Confirm
from tui.screens.privacy.part import Part
from tui.tones import Toned
from tui.widgets.grid import Column, Row
from tui.words import counted, plain

KINDS: Final[dict[wire.WordKind, Toned]] = {
    "term": Toned("term", "warn"),
    "person": Toned("person", "warn"),
    "organization": Toned("organization", "warn"),
    "harmless": Toned("harmless", "good"),
}
_MEANS: Final[dict[wire.WordKind, str]] = {
    "term": "A project, table, host or anything else of yours: private, in any convention of writing.",
    "person": "Somebody's name: private, and masked by another name.",
    "organization": "A company or customer: private, and masked by another one.",
    "harmless": "No find, though it looks like one: it leaves as it is.",
}


class Dictionary(Part):
    """By kind."""

    HEARS = frozenset({"settings"})
    COLUMNS = (Column("Word", 24, grows=1), Column("It is", 14))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add('term')", "Add a term"),
        Binding("p", "add('person')", "Person"),
        Binding("O", "add('organization')", "Organization"),
        Binding("h", "add('harmless')", "Harmless"),
        Binding("d,delete", "remove", "Remove", key_display="d"),
    ]

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._words: dict[str, wire.OwnWord] = {}

    def name_now(self) -> str:
        return f"Dictionary {len(self._words)}" if self._words else "Dictionary"

    async def fetch(self) -> None:
        found = await self.page.told(lambda client: client.dictionary())
        if found is not None:
            self._take(found)

    def _take(self, found: wire.OwnWords) -> None:
        self._words = {f"{each.kind} {each.word}": each for each in found.words}

    def rows(self) -> list[Row]:
        return [Row(key, (Toned(each.word), KINDS[each.kind])) for key, each in self._words.items()]

    def detail(self, width: int) -> list[Content]:
        shown = self._words.get(self.key or "")
        if shown is None:
            about = (
                "No pattern knows all names of your projects, customers, tables and hosts. What you add here is masked "
                "wherever it stands, in identifiers too; a harmless value is left as it is."
            )
            return [said(Toned("No words of yours yet", "muted")), said(""), *wrapped(about, width)]
        return [
            said(Toned(shown.word, "strong")),
            said(Toned(shown.kind, KINDS[shown.kind].tone)),
            said(""),
            *wrapped(_MEANS[shown.kind], width),
        ]

    def action_add(self, kind: wire.WordKind) -> None:
        """One or several, with commas between them."""
        title = f"Add to the dictionary: {kind}"
        about = f"{_MEANS[kind]} Several with commas between them."
        self.app.push_screen(Ask(title, about), lambda words: self._typed(kind, words))

    def _typed(self, kind: wire.WordKind, typed: str | None) -> None:
        words = tuple(filter(None, (each.strip() for each in (typed or "").split(","))))
        if words:
            self.run_worker(self._add(wire.NewWords(words, kind)))

    async def _add(self, words: wire.NewWords) -> None:
        found = await self.page.told(lambda client: client.add_words(words))
        if found is None:
            return
        self._take(found)
        self.paint()
        for word in found.everyday:
            told = f"{word} is an everyday word, and is taken for private wherever it stands from now on: d removes it"
            self.notify(told, severity="warning", markup=False, timeout=10)
        self.notify(f"{counted(len(words.words), 'word')} known now")

    def action_remove(self) -> None:
        """Forget it, after a yes."""
        shown = self._words.get(self.key or "")
        if shown is None:
            return
        then = "It is a find again" if shown.kind == "harmless" else "It may leave, unless something else finds it"
        question = plain(f"Forget “{shown.word}”? {then}.")
        self.app.push_screen(Confirm(question, "Forget it"), lambda yes: self._remove(shown.word, yes))

    def _remove(self, word: str, yes: bool | None) -> None:
        if yes:
            self.run_worker(self._forget(word))

    async def _forget(self, word: str) -> None:
        found = await self.page.told(lambda client: client.forget_words(word))
        if found is not None:
            self._take(found)
            self.paint()
