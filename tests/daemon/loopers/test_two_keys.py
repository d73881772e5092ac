"""A call that may do harm takes two keys: a sure draft, and a second answer that calls the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import pytest

from daemon.confidence.features import Generation, features
from daemon.confidence.judgement import Judgement, Known, Sought, judge, judge_calls
from daemon.confidence.recovery import HOLD_S, Outlook
from daemon.decision.rules import Candidate, Decision, Keyring
from daemon.errors import NoSecondKey
from daemon.loopers.base import Errand
from daemon.loopers.confidence import confidence
from daemon.loopers.single import single
from daemon.loopers.two_keys import WARM
from daemon.settings import Tools
from daemon.signals.vectors import Vectors
from daemon.tools.gate import ToolGate
from daemon.tools.ranks import doubt
from daemon.tools.weighing import Weighed, Weighing
from edge_models.engines.base import Unavailable
from providers.contract import (
    Delta,
    Deltas,
    Finish,
    Logprob,
    TextDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
    Unreachable,
    Usage,
)
from tests.fakes.asking import asking

END = Finish("tool_calls", Usage(1, 1))
SMALL, OTHER, CLOUD = Candidate("local", "small", 0.5), Candidate("local", "other"), Candidate("work", "big")
BASH, READ = Tool("Bash", "", {}), Tool("Read", "", {})
RUN, RUN_ELSE = '{"command": "make all"}', '{"command": "make clean"}'
TEST, REMOVE = '{"command":  "make all"}', '{"command": "rm -r a"}'


def called(arguments: str, name: str = "Bash", logprob: float = -0.01) -> list[Delta]:
    written = f'{{"name": "{name}", "arguments": {arguments}}}'
    return [
        ToolCallDelta(0, "1", name, arguments, logprobs=tuple(Logprob(c.encode(), logprob) for c in written)),
        END,
    ]


def said(text: str, logprob: float = -0.01) -> TextDelta:
    return TextDelta(text, (Logprob(text.encode(), logprob),))


class Stage:
    """An `ask` that plays deltas by `MODEL` or `MODEL key`, and weighs calls as the daemon does."""

    def __init__(self, plays: dict[str, list[Delta] | Exception], settings: Tools, tools: Sequence[Tool]) -> None:
        def absent() -> NoReturn:
            raise Unavailable("there is none in this test")

        self._plays = plays
        self._weighing = Weighing(settings, ToolGate(Vectors(absent)))
        self._weighed: dict[str, Weighed] = {}
        self._request = asking("Do it", tools=tuple(tools))
        self.time = 0.0
        self.asked: list[str] = []
        self.errands: list[Errand] = []
        self.notes: list[str] = []
        self.sides: list[bool] = []
        self.winner: str | None = None
        self.closed: list[str] = []
        self.hopeless = False

    async def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        key = f"{candidate.model} {errand.role}" if errand else candidate.model
        self.asked.append(key)
        if errand is not None:
            self.errands.append(errand)
        play = self._plays[key]
        if isinstance(play, Exception):
            raise play
        try:
            for delta in play:
                yield delta
                self.time += HOLD_S / 2
        finally:
            self.closed.append(candidate.model)

    def now(self) -> float:
        return self.time

    async def weigh(self, candidate: Candidate, calls: tuple[ToolCall, ...]) -> Weighed:
        self._weighed[candidate.name] = self._weighing.weigh(self._request, calls)
        return self._weighed[candidate.name]

    async def self_check(self, candidate: Candidate) -> None:
        """No profile asks for it."""

    def judge(self, candidate: Candidate, sought: Sought, draft: Generation) -> Judgement | None:
        assert candidate.threshold is not None
        seen, weighed = features(draft), self._weighed.get(candidate.name)
        if seen is None:
            return None
        if weighed is None:
            return judge(seen, sought, candidate.threshold, Known())
        return judge_calls(seen, sought, candidate.threshold, doubt(weighed.keys), weighed.barred is not None)

    def agree(
        self, candidate: Candidate, calls: tuple[ToolCall, ...], label: str, others: tuple[ToolCall, ...]
    ) -> bool:
        self.sides.append(self._weighing.same(self._request, calls, others))
        return self.sides[-1]

    def outlook(self, candidate: Candidate, sought: Sought, beginning: Generation) -> Outlook:
        return "hopeless" if self.hopeless else "open"

    def hedge(self, candidate: Candidate) -> None:
        """Nobody allowed any."""

    def noted(self, code: str) -> None:
        self.notes.append(code)

    def chosen(self, candidate: Candidate) -> None:
        self.winner = candidate.model

    async def play(self, *candidates: Candidate, whole: bool = True, seconds: tuple[Candidate, ...] = (SMALL,)) -> str:
        """Whose call came out, with the words before it."""
        keyring = Keyring((SMALL, OTHER), seconds, self._weighing.refuses, self._weighing.careful(self._request))
        looper = confidence if len(candidates) > 1 or candidates[0].threshold is not None else single
        decision = Decision("test", looper.__name__, candidates, whole=whole, keyring=keyring)
        out = ""
        async for delta in looper(decision, self):  # type: ignore[arg-type]
            if isinstance(delta, TextDelta):
                out += delta.text
            elif isinstance(delta, ToolCallDelta):
                out += delta.arguments
        return out


def stage(settings: Tools | None = None, /, **plays: list[Delta] | Exception) -> Stage:
    by_role = {key.replace("_", " "): play for key, play in plays.items()}
    return Stage(by_role, settings or Tools(), (BASH, READ))


async def test_reading_takes_one_key() -> None:
    """A sure call that changes nothing goes out by itself."""
    here = stage(small=called('{"file_path": "a"}', "Read"))

    assert await here.play(SMALL, CLOUD) == '{"file_path": "a"}'
    assert here.asked == ["small"]


async def test_another_model_turns_the_second_key() -> None:
    """It is asked with the tools, as the client has it, and calls that do the same agree however they are written."""
    here = stage(small=called(RUN), other_key=called(TEST))

    assert await here.play(SMALL, CLOUD, seconds=(SMALL, OTHER)) == RUN
    assert (here.asked, here.sides, here.winner) == (["small", "other key"], [True], "small")
    assert (here.errands[0].tools, here.errands[0].temperature) == (True, None)


@pytest.mark.parametrize(
    "answer", [called(RUN_ELSE), [said("no"), Finish("stop", Usage(1, 1))]], ids=["other", "words"]
)
async def test_without_agreement_the_cloud_answers(answer: list[Delta]) -> None:
    """The draft is never seen, however sure it is."""
    here = stage(small=called(RUN), other_key=answer, big=called(RUN_ELSE))

    assert await here.play(SMALL, CLOUD, seconds=(SMALL, OTHER)) == RUN_ELSE
    assert here.asked == ["small", "other key", "big"]


async def test_alone_the_same_model_draws_again() -> None:
    """Warmer, so that it is another draw; that is the weaker key."""
    here = stage(small=called(RUN), small_key=called(RUN))

    assert await here.play(SMALL, CLOUD) == RUN
    assert (here.errands[0].temperature, here.errands[0].draw) == (WARM, 1)


async def test_what_cannot_be_undone_takes_another_model() -> None:
    """A second draw of the same model is no key for that."""
    here = stage(small=called(REMOVE), big=called(RUN))

    assert await here.play(SMALL, CLOUD) == RUN
    assert here.asked == ["small", "big"]


async def test_who_can_t_answer_is_passed_over() -> None:
    """The next one decides."""
    here = stage(small=called(RUN), other_key=Unreachable("gone"), small_key=called(RUN))

    assert await here.play(SMALL, CLOUD, seconds=(OTHER,)) == RUN
    assert here.asked == ["small", "other key", "small key"]


async def test_a_call_has_to_be_surer_than_words() -> None:
    """0.8 is enough for what reads and not for what writes, with a threshold of 0.5."""
    writes, reads = called('{"file_path": "a"}', "Edit", -0.2), called('{"file_path": "a"}', "Read", -0.2)

    assert await stage(small=writes, big=called(RUN)).play(SMALL, CLOUD) == RUN
    assert await stage(small=reads).play(SMALL, CLOUD) == '{"file_path": "a"}'


async def test_an_unsure_call_asks_nobody_for_a_key() -> None:
    """Both keys are needed, so the second is not drawn without the first."""
    here = stage(small=called(RUN, logprob=-3.0), big=called(RUN_ELSE))

    assert await here.play(SMALL, CLOUD, seconds=(SMALL, OTHER)) == RUN_ELSE
    assert here.asked == ["small", "big"]


async def test_a_call_without_log_probabilities_has_no_first_key() -> None:
    """As of a server that tells none."""
    here = stage(small=[ToolCallDelta(0, "1", "Bash", RUN), END], big=called(RUN_ELSE))

    assert await here.play(SMALL, CLOUD) == RUN_ELSE


async def test_words_before_a_call_are_held_with_it() -> None:
    """A client that reads along sees none of a draft whose call is not agreed to."""
    words = [said("Let "), said("me "), said("see ")]
    here = stage(small=[*words, *called(RUN)], other_key=called(RUN_ELSE), big=[said("No."), END])

    assert await here.play(SMALL, CLOUD, whole=False, seconds=(OTHER,)) == "No."


async def test_without_anybody_else_calls_pass_unless_the_user_says_no() -> None:
    """By default agents go on as before, and the record says that there was one key."""
    here = stage(small=called(RUN), other_key=called(RUN_ELSE), big=Unreachable("gone"))

    assert await here.play(SMALL, CLOUD, seconds=(SMALL, OTHER)) == RUN
    assert here.notes == ["one-key"]


HELD = Tools(without_second_key="refuse")


async def test_a_user_can_have_them_held() -> None:
    """Then an answer whose call nobody agrees to is none."""
    here = stage(HELD, small=called(RUN), other_key=called(RUN_ELSE), big=Unreachable("gone"))

    with pytest.raises(NoSecondKey):
        await here.play(SMALL, CLOUD, seconds=(SMALL, OTHER))


async def test_held_calls_of_the_only_model_need_the_key_too() -> None:
    """Words go out, reading goes out, a call that is agreed to goes out, any other doesn't."""
    only = Candidate("local", "small")

    assert await stage(HELD, small=[said("hi"), END]).play(only) == "hi"
    assert await stage(HELD, small=called("{}", "Read")).play(only) == "{}"
    assert await stage(HELD, small=called(RUN), small_key=called(RUN)).play(only) == RUN
    with pytest.raises(NoSecondKey):
        await stage(HELD, small=[said("so"), *called(RUN)], small_key=called(RUN_ELSE)).play(only)


async def test_the_cloud_s_calls_are_the_cloud_s() -> None:
    """Whoever is asked instead of a draft needs no key of this machine's."""
    here = stage(HELD, small=called(RUN, logprob=-3.0), big=called(REMOVE))

    assert await here.play(SMALL, CLOUD) == REMOVE


async def test_a_class_that_is_never_enough_goes_up() -> None:
    """`beyond` in the user's settings: no draft with such a call passes."""
    here = stage(Tools(keys={"read": "beyond"}), small=called("{}", "Read"), big=[said("up"), END])

    assert await here.play(SMALL, CLOUD) == "up"


async def test_a_draft_of_the_cloud_needs_no_key() -> None:
    """In a recipe's cascade of providers a draft is judged by its words, as ever."""
    middle = Candidate("work", "middle", 0.5)
    here = stage(middle=[said("Sure."), *called(REMOVE)])

    assert await here.play(middle, CLOUD) == f"Sure.{REMOVE}"
    assert here.asked == ["middle"]


async def test_a_demonstration_s_calls_need_a_key_and_its_word_is_none() -> None:
    """It may be the only model there is: then it draws again."""
    here = stage(small=called(RUN), small_key=called(RUN_ELSE), big=called(RUN_ELSE))

    assert await here.play(SMALL, CLOUD, seconds=()) == RUN_ELSE
    assert here.asked == ["small", "small key", "big"]


async def test_a_client_that_hangs_up_ends_the_answer() -> None:
    """Also one that is guarded: whoever writes it is told at once."""
    only = Candidate("local", "small")
    here = stage(HELD, small=[said("a"), said("b"), END])
    deltas = single(Decision("test", "single", (only,), keyring=Keyring((SMALL,), (SMALL,), refuses=True)), here)  # type: ignore[arg-type]

    assert await anext(deltas) == said("a")
    await deltas.aclose()

    assert here.closed == ["small"]


async def test_hanging_up_ends_a_draft_that_is_asked_anew() -> None:
    """A draft that was stopped in the middle, and is the best there is after all."""
    here = stage(small=[*(said("a", -3.0) for _ in range(9)), END], big=Unreachable("gone"))
    here.hopeless = True
    deltas = confidence(Decision("test", "confidence", (SMALL, CLOUD), keyring=Keyring((SMALL,), (SMALL,))), here)  # type: ignore[arg-type]

    assert await anext(deltas) == said("a", -3.0)
    assert here.asked == ["small", "big", "small"]
    here.closed.clear()
    await deltas.aclose()

    assert here.closed == ["small"]
