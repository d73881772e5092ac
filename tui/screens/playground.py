"""A place to ask: by any name, one answer or two side by side, and to say whether it was right."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from tui.screens.base import Page
from tui.screens.choose import Choose
from tui.screens.request import Request
from tui.widgets.answer import Answer, Words
from tui.words import counted, plain

HERE: Final = "local"
BEYOND: Final = "cloud"
EITHER: Final = "auto"


class Playground(Page):
    """The question below, the answers above."""

    DEFAULT_CSS = """
    Playground #line { height: 1; padding: 0 1; background: $surface; }
    Playground #answers { height: 1fr; }
    Playground #second { display: none; }
    Playground.-both #second { display: block; }
    Playground Input { border: round $border; background: $background; }
    Playground Input:focus { border: round $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i,slash", "type", "Ask", key_display="i"),
        Binding("y", "judge(True)", "Right"),
        Binding("n", "judge(False)", "Wrong"),
        Binding("b", "both", "Side by side"),
        Binding("m", "choose", "Ask whom"),
        Binding("o", "request", "Why"),
        Binding("c", "copy", "Copy", show=False),
        Binding("escape", "stop", "Stop", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "A question goes the way of any request: cleared, masked where that is the policy, written down in a record.",
        "esc stops an answer, and takes the keys from the question to the answers. y and n say whether the one with the "
        "frame was right: later answers of that kind are judged by it, and nothing of that leaves this machine.",
    )

    def body(self) -> ComposeResult:
        yield Static(id="line")
        with Horizontal(id="answers"):
            yield Answer(self.link, EITHER, "first")
            yield Answer(self.link, BEYOND, "second")
        yield Input(placeholder="What do you want to know?", id="question")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def show(self, kinds: frozenset[str]) -> None:
        for answer in self.query(Answer):
            answer.look()
        here = self.link.picture.local_only
        switch = ("⌂ nothing leaves", "$success") if here else ("○ leaves as the policy allows", "$warning")
        self.query_one("#line", Static).update(
            Content.assemble(switch, ("   enter asks, esc goes to the answers", "$muted"))
        )

    @property
    def _shown(self) -> list[Answer]:
        return [answer for answer in self.query(Answer) if answer.display]

    @property
    def _front(self) -> Answer:
        """The one with the focus, else the first."""
        return next((answer for answer in self._shown if answer.has_focus_within), self._shown[0])

    @on(Input.Submitted, "#question")
    def _asked(self, submitted: Input.Submitted) -> None:
        if not submitted.value.strip():
            return
        for answer in self._shown:
            answer.ask(submitted.value)
        self._shown[0].query_one(Words).focus()

    def action_type(self) -> None:
        """Another question."""
        self.query_one(Input).focus()

    def action_stop(self) -> None:
        """What is being answered; and the keys go to the answers."""
        for answer in self._shown:
            answer.stop()
        if self.query_one(Input).has_focus:
            self._shown[0].query_one(Words).focus()

    def action_both(self) -> None:
        """This machine and the cloud beside each other; or one alone again."""
        first, second = self.query_one("#first", Answer), self.query_one("#second", Answer)
        both = not self.has_class("-both")
        self.set_class(both, "-both")
        if both and first.told.model == EITHER and first.told.state == "idle":
            first.turn_to(HERE)
        if not both:
            second.stop()
            first.query_one(Words).focus()

    @work(exclusive=True)
    async def action_choose(self) -> None:
        """Who is asked where the frame is."""
        answer = self._front
        names = await self.told(lambda client: client.entrypoints())
        if names:
            self.app.push_screen(Choose("Who is asked?", names, answer.told.model), lambda name: _turn(answer, name))

    @work
    async def action_judge(self, right: bool) -> None:
        """Say whether the answer was right."""
        answer = self._front
        id = answer.record_id
        if id is None or answer.told.state != "ended":
            self.notify("There is no whole answer to judge here yet", severity="warning")
            return
        learned = await self.told(lambda client: client.outcome(id, right))
        if learned is not None:
            answer.judge(right)
            known = f"{counted(learned.outcomes, 'outcome')} known of its answers of the kind {learned.family}"
            self.notify(plain(f"Noted: {known}"), markup=False)

    def action_request(self) -> None:
        """What was decided about it, and why."""
        if (id := self._front.record_id) is not None:
            self.app.push_screen(Request(self.link, id))

    def action_copy(self) -> None:
        """The answer's words."""
        if words := self._front.told.words:
            self.app.copy_to_clipboard(words)
            self.notify("Copied the answer")


def _turn(answer: Answer, name: str | None) -> None:
    if name is not None and name != answer.told.model:
        answer.turn_to(name)
