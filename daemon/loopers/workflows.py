"""The workflows looper: a plan of steps, each a model's, and one that writes the answer of their results.

Theory of operation. Steps whose inputs are there run side by side, at most `max_parallel` calls at a time. A step that calls
the client's tool ends the request with that call: what was done so far is held (`daemon/flows.py`), the call's id says
where, and the client's next request goes on at that step, with the call and its result in the conversation. If what was
held is gone, the work begins anew with that conversation. The last writer has no tools, so a flow ends. A step that fails
is an end if `on_error` is `fail`; else those that would have seen its result go on without.
"""

from __future__ import annotations

import secrets
from contextlib import aclosing
from typing import Final

from daemon.decision.rules import Candidate, Decision, Way
from daemon.errors import BudgetSpent, NoCandidate
from daemon.loopers import flow_plan
from daemon.loopers.base import Ask, Errand
from daemon.loopers.finishing import finished
from daemon.loopers.flow_plan import Plan, Step
from daemon.loopers.flow_state import FlowState, Result, packed, renamed, unpacked
from daemon.loopers.form import form_of
from daemon.loopers.gathering import FAILURES, Answer, Round, answered, deltas_of, gather, passed_on
from daemon.loopers.material import fenced
from daemon.loopers.verdicts import the_object
from daemon.recipes.algorithms import Workflows
from providers.contract import BadAnswer, Deltas, Finish, Text

MOST_PAUSES: Final = 32
"""Behind so many calls of tools a flow's steps get no more."""


async def workflows(decision: Decision, ask: Ask) -> Deltas:
    """Answer with what the last writer makes of it, or with a call of the client's tool."""
    way = decision.way
    options = (way.algorithm.workflows if way else None) or Workflows()
    if way is None or not (options.roles or options.mode == "dynamic" or options.planner):
        async with aclosing(passed_on(ask, decision.candidates[0])) as deltas:
            async for delta in deltas:
                yield delta
        return
    flow = _Flow(decision, way, options, ask)
    if (call := await flow.run()) is not None:
        ask.noted("flow-paused")
        ask.chosen(call.candidate)
        for delta in deltas_of(call.parts):
            yield delta
        yield Finish("tool_calls", ask.spent())
        return
    writer, errand, results = flow.last()
    async with aclosing(finished(way, writer, errand, results, ask)) as deltas:
        async for delta in deltas:
            yield delta


class _Flow:
    """One run, from the plan to the results of all its steps, or to a call that has to be made first."""

    def __init__(self, decision: Decision, way: Way, options: Workflows, ask: Ask) -> None:
        self._decision = decision
        self._way = way
        self._options = options
        self._ask = ask
        self._by_name = dict(zip(way.names, decision.candidates, strict=True))
        self._fail = (options.on_error or way.algorithm.on_error) == "fail"
        self._plan = Plan(())
        self._results: dict[str, tuple[Result, ...]] = {}
        self._pauses = 0
        self._waiting: FlowState | None = None
        """What was held: the step whose call was waiting goes on first, and of its models that one alone."""

    async def run(self) -> Answer | None:
        """The call that has to be made first, with its new id; None: all is done."""
        if not await self._resumed():
            self._plan = await self._planned()
        while ready := [step for step in self._plan.steps if self._is_ready(step)]:
            try:
                if (call := await self._wave(ready)) is not None:
                    return call
            except BudgetSpent:
                break  # the best so far is made of what is there
        return None

    async def _resumed(self) -> bool:
        """Whether it goes on with what was held."""
        if self._decision.resumes is None:
            return False
        state = unpacked(await self._ask.take(self._decision.resumes))
        if state is None or any(model not in self._by_name for step in state.plan.steps for model in step.models):
            self._ask.noted("flow-lost")
            return False
        self._plan, self._pauses, self._waiting = state.plan, state.pauses, state
        self._results = dict(state.results)
        return True

    async def _planned(self) -> Plan:
        options, names = self._options, self._way.names
        if options.mode != "dynamic" and options.roles:
            return flow_plan.static_plan(options, names)
        planner = options.planner
        writer = self._by_name.get(planner.model) if planner else None
        errand = Errand(
            "planner",
            "planner",
            flow_plan.planning(options, names),
            own=True,
            temperature=0.0,
            max_tokens=(planner.max_completion_tokens if planner else None) or flow_plan.PLANNER_TOKENS,
            schema=flow_plan.planning_schema(options, names),
        )
        plan: Plan | None = None
        try:
            said = await answered(self._ask, writer or self._decision.candidates[0], errand)
            plan = flow_plan.read_plan(the_object(said.text), options, names)
        except FAILURES:
            if self._fail:
                raise
        if plan is None:
            if self._fail:
                raise BadAnswer("the planner made no plan that the recipe allows: ask again, or raise its `max_steps`")
            self._ask.noted("plan-unreadable")
            return flow_plan.one_step(names)
        return plan

    def _is_ready(self, step: Step) -> bool:
        return step.name not in self._results and all(each in self._results for each in step.sees)

    async def _wave(self, ready: list[Step]) -> Answer | None:
        """All that can be done now. Raises BudgetSpent if nothing of it could be."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            ready = [step for step in ready if step.name == waiting.step] or ready
        asked: list[tuple[Candidate, Errand]] = []
        of: dict[str, tuple[Step, str]] = {}
        for step in ready:
            for model in (waiting.model,) if waiting is not None and step.name == waiting.step else step.models:
                label = f"{step.name}-{model}-{self._pauses}"
                of[label] = step, model
                asked.append((self._by_name[model], self._errand(step, label)))
        at_once = self._options.max_parallel or flow_plan.MAX_PARALLEL
        came = await gather(self._ask, asked, at_once, self._options.round_timeout_seconds)
        if not came.answers and came.spent:
            raise came.failure if isinstance(came.failure, BudgetSpent) else BudgetSpent("calls")
        calling: Answer | None = None
        for step in ready:
            answers = [answer for answer in came.answers if of[answer.errand.label][0] is step]
            done = tuple(Result(of[each.errand.label][1], each.text) for each in answers if not each.calls)
            if waiting is not None and step.name == waiting.step:
                done = (*waiting.partial, *done)
            able = len(step.models) - sum(of[label][0] is step for label in of.keys() - came.asked)
            self._need(step, len(done) + sum(bool(each.calls) for each in answers), able, came)
            call = next((each for each in answers if each.calls), None)
            if call is None:
                self._results[step.name] = done
            elif calling is None:  # another step that calls a tool is asked again when this one goes on
                calling, partial = call, done
        return await self._paused(calling, *of[calling.errand.label], partial) if calling is not None else None

    def _need(self, step: Step, answers: int, able: int, came: Round) -> None:
        """Raises what went wrong if too few of a step's models answered, and that shall be an end. able: how many of them
        may be asked.
        """
        if answers >= min(self._options.min_successful_responses or able, able):
            return
        if self._fail:
            raise came.failure or NoCandidate("nobody could answer")
        self._ask.noted("below-quorum")

    async def _paused(self, answer: Answer, step: Step, model: str, partial: tuple[Result, ...]) -> Answer:
        key = secrets.token_hex(8)
        state = FlowState(self._plan, self._results, step.name, model, partial, self._pauses + 1)
        await self._ask.keep(key, packed(state))
        return Answer(answer.candidate, answer.errand, renamed(answer.parts, key), "tool_calls")

    def _errand(self, step: Step, label: str) -> Errand:
        options = self._options
        seen = self._shown(step.sees)
        task = f"You are the {step.role} in a plan for the request above. {step.prompt}".strip()
        return Errand(
            label,
            "step",
            "\n\n".join(filter(None, (task, fenced(seen) if seen else ""))),
            tools=self._pauses < MOST_PAUSES,
            temperature=options.temperature,
            max_tokens=options.max_completion_tokens,
        )

    def _shown(self, steps: tuple[str, ...]) -> list[tuple[str, str]]:
        numbers = {step.name: number for number, step in enumerate(self._plan.steps, 1)}
        return [
            (f"result {place} of step {numbers[name]}", result.text)
            for name in steps
            for place, result in enumerate(self._results.get(name, ()), 1)
        ]

    def last(self) -> tuple[Candidate, Errand, list[Answer]]:
        """Who writes the answer, how it is asked, and what there is besides."""
        final = self._options.final
        writer = self._by_name.get(final.model) if final and final.model else None
        names = tuple(step.name for step in self._plan.steps)
        seen = self._shown(names)
        form = form_of(self._way)
        own = (final.prompt if final else None) or self._plan.final
        task = f"Answer the request above{', of the results below' if seen else ''}. {own}".strip()
        words = filter(
            None, (task, fenced(seen) if seen else "", self._way.words, form.words if form is not None else "")
        )
        errand = Errand("final", "synthesis", "\n\n".join(words), max_tokens=self._options.max_completion_tokens)
        results = [
            Answer(self._by_name[each.model], Errand(name, "step"), (Text(each.text),), "stop")
            for name in names
            for each in self._results.get(name, ())
        ]
        return writer or self._decision.candidates[0], errand, results
