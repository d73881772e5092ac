"""A question that takes several lines of words, each with its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from tui.words import plain


class Field(NamedTuple):
    """key: by which its words are given. placeholder: what it is if nothing is typed. secret: what is typed is not shown."""

    key: str
    label: str
    placeholder: str = ""
    secret: bool = False


class Form(ModalScreen[dict[str, str]]):
    """Gives what was typed, by key, without what is empty; None: it was left. before: what stands there at first. trouble:
    why it was not taken the last time.
    """

    DEFAULT_CSS = """
    Form .card { width: 72; }
    Form Horizontal { height: 1; margin-top: 1; width: 100%; }
    Form Label { width: 12; color: $muted; }
    Form Input.-textual-compact { width: 1fr; border: none; height: 1; padding: 0 1; background: $surface; }
    Form Input.-textual-compact:focus { background: $primary 20%; }
    Form #trouble { color: $error; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel"),
        Binding("down", "app.focus_next", "Next", show=False),
        Binding("up", "app.focus_previous", "Before", show=False),
    ]

    def __init__(
        self,
        title: str,
        about: str,
        fields: Sequence[Field],
        before: Mapping[str, str] | None = None,
        trouble: str | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._about = about
        self._fields = tuple(fields)
        self._before = before or {}
        self._trouble = trouble

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="card", can_focus=False):
            yield Static(Content.styled(plain(self._title), "bold $primary"))
            yield Static(Content.styled(self._about, "$muted"), classes="gap")
            for field in self._fields:
                with Horizontal():
                    yield Label(field.label)
                    yield Input(
                        self._before.get(field.key, ""),
                        placeholder=field.placeholder,
                        password=field.secret,
                        id=field.key,
                        compact=True,
                    )
            if self._trouble is not None:
                yield Static(Content(plain(self._trouble)), id="trouble", classes="gap")
            keys = Content.assemble(
                ("tab", "bold $accent"), " next line   ", ("enter", "bold $accent"), " done   ",
                ("esc", "bold $accent"), " cancel",
            )  # fmt: skip
            yield Static(keys, classes="gap")

    def on_mount(self) -> None:
        """To the first line that says nothing yet."""
        empty = (field.key for field in self._fields if not self._before.get(field.key))
        first = self._fields[0].key if self._trouble is not None else next(empty, self._fields[0].key)
        self.query_one(f"#{first}").focus()

    def on_input_submitted(self) -> None:
        typed = {field.key: self.query_one(f"#{field.key}", Input).value.strip() for field in self._fields}
        self.dismiss({key: words for key, words in typed.items() if words})
