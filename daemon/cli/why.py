"""`nearloop why`: one answer, explained in words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from daemon import wire
from daemon.cli.terminal import row
from daemon.cli.why_codes import (
    AWAY,
    COLLAPSES,
    EFFECTS,
    KEYS,
    LOOPER_NOTES,
    NOTES,
    RULES,
    STANDINGS,
    TEACHERS,
    WHY_HERE,
    WHY_NOT_REDUCED,
)
from daemon.cli.why_pictures import PICTURES, seen_in
from daemon.cli.why_text import preview
from daemon.client import Client
from daemon.errors import BadRequest
from daemon.paths import paths

_REASONS: Final = {
    "stop": "it came to its end",
    "length": "it was cut at max_tokens, or the model's window was full",
    "tool_calls": "it called a tool",
    "content_filter": "a filter stopped it",
}
_EGRESS: Final = {
    "none": "Nothing left this machine.",
    "masked": "A masked version left this machine.",
    "open": "The request left this machine as it was.",
    "pending": "What left this machine was not settled when this record was written.",
}
_REACH: Final = {
    "device": "It had to stay on this machine",
    "masked": "It could leave with the found values masked",
    "open": "It could leave as it was",
}
_TREATMENT: Final = {
    "stay": "keeps it here",
    "ask": "may leave if you let it",
    "reduce": "to be said with less on the way out",
    "mask": "masked on the way out",
    "pass": "let pass by the policy",
}
_ANSWERS: Final = {
    "allowed": "you let it",
    "masked": "you let it, masked",
    "denied": "you didn't let it",
    "not-answered": "nobody answered",
    "crowded": "too many others waited for your word",
}
_PLACES: Final = {"device": "on this machine", "lan": "in your network", "cloud": "in the cloud"}
_ROLES: Final = {
    "panel": "one of several",
    "judge": "a judge",
    "synthesis": "who writes the answer",
    "planner": "the planner",
    "step": "a step of the plan",
    "repair": "once more, for the form",
    "sample": "once more, to see whether it says the same",
    "verifier": "how sure it is of its own answer",
    "hedge": "beside a draft that did not look sure enough",
    "audit": "the same for comparison, when the answer was out",
    "key": "the second key of a call",
}
_SPENDING: Final = {
    f"{scope}_{period}_usd": f"{whose} a {period}"
    for scope, whose in (
        ("all", "in all clouds"),
        ("provider", "at this provider"),
        ("project", "for this project"),
        ("client", "by this client"),
    )
    for period in ("day", "month")
}
_OUTCOMES: Final = {
    "answered": "Answered",
    "cancelled": "The client hung up before the answer was whole",
    "refused": "Refused",
    "failed": "Failed",
}


@click.command()
@click.argument("id", required=False, default="")
@click.option("--text", help="Explain what would be decided about TEXT instead; `-` reads standard input.")
@PICTURES
@click.option(
    "-m",
    "--model",
    default="auto",
    show_default=True,
    help="With --text or --picture: the model name that is asked for.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the daemon's answer.")
@click.option("--words", is_flag=True, help="Show question and answer too, if they were kept.")
def why(id: str, text: str | None, pictures: tuple[Path, ...], model: str, as_json: bool, words: bool) -> None:
    """Explain one answer. ID is a record's id, or the beginning of it."""
    if text is not None or pictures:
        preview(sys.stdin.read() if text == "-" else text or "", pictures, model, as_json)
        return
    if not id.strip():
        raise BadRequest("say which record: `nearloop records` lists them; or ask about a text with --text")
    with Client(paths()) as client:
        found = client.record(id)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for line in explain(found.record, found.taught):
        row(line)
    if words:
        _show(found.content)


def explain(record: wire.Record, taught: tuple[wire.Taught, ...] = ()) -> list[str]:
    """A record as sentences, with what was learned from it."""
    when = record.at.astimezone().strftime("%d %B %Y, %H:%M:%S")
    asker = f"the client {record.client}" if record.client else "a client without a token"
    how = "streamed" if record.streamed else "whole"
    lines = [
        f"Record {record.id}, {when}.",
        f"Asked by {asker} over {record.protocol} for the model {record.model}, {how}: "
        f"{record.messages} {'message' if record.messages == 1 else 'messages'}, {record.prompt_chars} characters.",
    ]
    lines += seen_in(record.pictures, record.pictures_before)
    if record.clearance:
        lines.append(_clearance(record.clearance))
        lines += [f"For {name}: {_clearance(own)}" for name, own in record.clearance.providers.items()]
    lines += [f"Found: {f.count} {f.label} in {f.path}; {_TREATMENT[f.treatment]}." for f in _findings(record)]
    if record.reduction:
        lines.append(_reduction(record.reduction))
    if record.decision:
        lines.append(
            f"Decision: {' then '.join(record.decision.candidates) or 'no model'}, since {_because(record.decision)}."
        )
        if record.decision.away:
            away = ", ".join(f"{name} ({AWAY.get(why, why)})" for name, why in record.decision.away.items())
            lines.append(f"Could not be asked then: {away}.")
        if record.decision.left_out:
            lines.append(f"Left out, since the request may not go there: {', '.join(record.decision.left_out)}.")
        if record.decision.over_limit:
            lines.append(f"Left out, since what may be spent is spent: {', '.join(record.decision.over_limit)}.")
    lines += [_asked(asked) for asked in record.asked]
    lines += [_attempt(attempt) for attempt in record.attempts]
    lines += _together(record)
    what = _OUTCOMES[record.outcome] + (f" ({record.error})" if record.error else "")
    waited = f", of which {record.waited_ms / 1000:.2f} s in the queue" if record.waited_ms >= 10 else ""
    lines.append(f"{what} after {record.took_ms / 1000:.2f} s{waited}, with {record.answer_chars} characters.")
    if record.ignored:
        lines.append(f"Not honoured, and said so to the client: {', '.join(record.ignored)}.")
    lines += [_receipt(receipt) for receipt in record.receipts]
    if record.kept_back:
        calls = "1 tool call" if record.kept_back == 1 else f"{record.kept_back} tool calls"
        lines.append(f"In {calls} secrets were left masked, since it could have carried them out.")
    if record.saved:
        lines.append(_saved(record.saved))
    lines.append(_EGRESS[record.egress])
    if record.audit:
        lines.append(_audit(record.audit))
    lines += [_taught(each) for each in taught]
    return lines


def _saved(saved: wire.Saved) -> str:
    if saved.usd is None:
        return f"What it would have cost at {saved.against}, nobody knows."
    return f"At {saved.against} so many tokens would have cost ${saved.usd:.6f}; that one would have counted others."


def _audit(audit: wire.Audit) -> str:
    said = {True: "said the same", False: "said something else", None: "can't be compared"}[audit.same]
    outcome = f"did not answer ({audit.error})" if audit.error else said
    return f"Audited: {audit.by} was asked the same for comparison, and {outcome}; ${audit.cost_usd:.6f}."


def _taught(taught: wire.Taught) -> str:
    verdict = "right" if taught.right else "wrong"
    return f"Learned of answers of the kind {taught.family}: this one was {verdict}, since {TEACHERS[taught.by]}."


def _asked(asked: wire.Asked) -> str:
    what = "a tool call may hold a secret" if asked.to == "tool" else f"it may leave for {asked.to}"
    return f"You were asked whether {what}: {_ANSWERS[asked.outcome]} after {asked.waited_s:.1f} s."


def _together(record: wire.Record) -> list[str]:
    """Of several answers: how they stood, and what all of them took."""
    lines: list[str] = []
    compared = [attempt.side for attempt in record.attempts if attempt.side is not None]
    apart = sum(side != "A" for side in compared)
    if len(compared) > 1:
        lines.append(
            f"Of {len(compared)} answers that could be compared, {apart} said something else than the others."
            if apart
            else f"All {len(compared)} answers that could be compared said the same."
        )
    lines += [f"{LOOPER_NOTES.get(note, note).capitalize()}." for note in record.notes]
    ledger = record.ledger
    if any(attempt.role for attempt in record.attempts):
        known = f", ${ledger.cost_usd:.6f}" if ledger.unpriced < ledger.calls else ""
        unknown = f", the price of {ledger.unpriced} unknown" if ledger.unpriced else ""
        energy = f", {ledger.joules:.0f} J of the whole machine" if ledger.joules is not None else ""
        lines.append(
            f"Together {ledger.calls} calls: read {ledger.prompt_tokens} tokens, wrote {ledger.completion_tokens}"
            f"{known}{unknown}{energy}."
        )
    if ledger.hedges:
        lines.append(f"Of it not needed in the end: {ledger.hedges} beside a draft, ${ledger.hedges_cost_usd:.6f}.")
    if ledger.reckoned:
        lines.append(f"Calls that were cut are reckoned to have taken {ledger.reckoned} tokens more.")
    lines += [_met(limit) for limit in ledger.spent]
    return lines


def _met(limit: str) -> str:
    if limit in _SPENDING:
        return f"What may be spent {_SPENDING[limit]} was spent."
    of_day = limit.removeprefix("day_")
    if of_day != limit:
        return f"What its client may take a day was taken: {of_day}."
    return f"The budget of one request was spent: {limit}."


def _because(decision: wire.Decision) -> str:
    route = decision.route
    if route is None:
        return RULES.get(decision.rule, decision.rule)
    taken = f"took its decision {route.decision}" if route.decision else "has no decision for it"
    sure = f" (confidence {route.confidence:.2f})" if route.confidence is not None else ""
    notes = [NOTES.get(note) or RULES.get(note, note) for note in route.notes]
    return f"the recipe {route.recipe} {taken}{sure}{'; ' if notes else ''}{'; '.join(notes)}"


def _findings(record: wire.Record) -> tuple[wire.Finding, ...]:
    return record.clearance.findings if record.clearance else ()


def _clearance(clearance: wire.Clearance) -> str:
    because = "; ".join(WHY_HERE.get(code, code) for code in clearance.why)
    return f"{_REACH[clearance.reach]}{f', because {because}' if because else ''}."


def _reduction(reduction: wire.Reduction) -> str:
    if reduction.why is not None:
        return f"It could not be said with less, since {WHY_NOT_REDUCED.get(reduction.why, reduction.why)}."
    gone = ", ".join(f"{count} {kind}" for kind, count in sorted(reduction.changes.items()))
    return f"What may leave was said with less ({reduction.by}), which can't be turned back; taken out: {gone}."


def _receipt(receipt: wire.Receipt) -> str:
    masks = ", ".join(f"{count} {label}" for label, count in sorted(receipt.masks.items())) or "nothing"
    when = receipt.at.astimezone().strftime("%H:%M:%S")
    number = f" {receipt.number}" if receipt.number else ""
    return (
        f"Receipt{number}: {receipt.body_bytes} bytes to {receipt.host} ({receipt.place}) for "
        f"{receipt.provider}/{receipt.model} at {when}, SHA-256 {receipt.sha256[:16]}…; masked: {masks}"
        f"{f'; reduced by {receipt.reduced}' if receipt.reduced else ''}"
        f"{f'; with the key {receipt.credential}' if receipt.credential else ''}."
    )


def _attempt(attempt: wire.Attempt) -> str:
    where = _PLACES[attempt.place or ("device" if attempt.provider == "local" else "cloud")]
    runs = f" ({attempt.engine} on {attempt.device})" if attempt.engine else ""
    words = f"{attempt.provider}/{attempt.model} answered {where}{runs}"
    if attempt.outcome != "answered":
        words = f"{attempt.provider}/{attempt.model} was tried {where}{runs}: {attempt.error or attempt.outcome}"
    if attempt.first_token_ms is not None:
        words += f"; first words after {attempt.first_token_ms:.0f} ms"
    if attempt.completion_tokens and attempt.first_token_ms is not None:
        writing_s = (attempt.took_ms - attempt.first_token_ms) / 1000
        rate = f", {attempt.completion_tokens / writing_s:.0f} a second" if writing_s > 0.05 else ""
        cache = ", ".join(
            f"{tokens} {done} its cache"
            for tokens, done in ((attempt.cached_tokens, "from"), (attempt.stored_tokens, "into"))
            if tokens
        )
        kept = f" ({cache})" if cache else ""
        words += f"; read {attempt.prompt_tokens} tokens{kept}, wrote {attempt.completion_tokens}{rate}"
    if attempt.passed is not None:
        sure = f"{attempt.confidence:.2f}" if attempt.confidence is not None else "unknown"
        held = f" {attempt.threshold}" if attempt.threshold is not None else ""
        enough = attempt.passed or (attempt.confidence or 0.0) >= (
            attempt.threshold if attempt.threshold is not None else 1
        )
        words += f"; confidence {sure} {'reached' if enough else 'below'} the threshold{held}"
        words += f", {STANDINGS[attempt.standing]}" if attempt.standing in STANDINGS else ""
    if attempt.collapse:
        whole = f" (all of it: {attempt.whole:.2f})" if attempt.whole is not None else ""
        words += f"; {COLLAPSES.get(attempt.collapse, attempt.collapse)}{whole}, so the next turn begins higher up"
    if attempt.effect and attempt.keys:
        does, needs = EFFECTS.get(attempt.effect, attempt.effect), KEYS.get(attempt.keys, attempt.keys)
        words += f"; its call {does}, and needs {needs}"
    if attempt.none_fits is not None:
        words += f"; that no tool fits is {attempt.none_fits:.0%} likely"
    if attempt.role:
        words += f"; asked as {_ROLES.get(attempt.role, attempt.role)}"
    if attempt.side:
        words += f"; stands on side {attempt.side}"
    if attempt.score is not None:
        words += f"; scored {attempt.score:.2f} by the others"
    if attempt.reason:
        words += f"; {_REASONS.get(attempt.reason, attempt.reason)}"
    return words + "."


def _show(content: wire.Content | None) -> None:
    if content is None:
        click.echo("\nThe words were not kept: that needs [records] content = true in settings.toml beforehand.")
        return
    _say(content.request)
    if content.reduced is not None:
        click.echo("\nSaid with less:")
        _say(content.reduced)
    click.echo(f"\nanswer: {content.answer}")


def _say(messages: list[dict[str, Any]]) -> None:
    for message in messages:
        texts = [part["text"] for part in message["parts"] if "text" in part]
        click.echo(f"\n{message['role']}: {' '.join(texts)}")
