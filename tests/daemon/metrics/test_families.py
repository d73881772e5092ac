"""What each family makes of records and receipts."""

from __future__ import annotations

from daemon import wire
from daemon.metrics import boundary, crossings, decisions, failures, loopers, models, pictures, requests, signals, state
from tests.fakes.counted import begun_and_ended, count, metrics, open_of, values
from tests.fakes.told_records import (
    SMALL,
    a_day,
    asked_away,
    draft,
    escalated,
    kept_here,
    record,
    with_pictures,
)

HERE, THERE = f"local/{SMALL}", "work/big-model"


def test_requests_by_how_they_ended_and_where() -> None:
    """Where is of the attempt whose words the client got: a draft that was not sure enough answered nothing."""
    told = (escalated(2), record(4, draft()), record(8, outcome="refused", error="BudgetSpent", decision=None))

    assert count(requests.REQUESTS, *told) == {
        ("openai-chat", "answered", "masked"): 1,
        ("openai-chat", "answered", "none"): 1,
        ("openai-chat", "refused", "none"): 1,
    }
    assert count(requests.CLIENTS, *told) == {("aider", "answered"): 1, ("zed", "answered"): 1, ("zed", "refused"): 1}
    assert count(requests.CLIENTS, record(3, client=None)) == {("anonymous", "answered"): 1}
    assert count(requests.ANSWERS, *told) == {("cloud",): 1, ("device",): 1}
    assert count(requests.ANSWERS, record(1)) == {("nobody",): 1}
    judged = record(10, asked_away(role="judge"), draft(role="synthesis"), asked_away(role="judge"))
    assert count(requests.ANSWERS, judged) == {("device",): 1}
    assert count(requests.DURATION, *told) == {("answered",): 2, ("refused",): 1}
    assert count(requests.JOULES, escalated(2)) == {(): 24.8}
    assert count(requests.SPENT, record(1, ledger=wire.Ledger(spent=("tokens", "day_tokens")))) == {
        ("tokens",): 1,
        ("day_tokens",): 1,
    }


def test_calls_of_models() -> None:
    """Each attempt is one, with its tokens, money and times."""
    told = escalated(2)

    assert count(models.REQUESTS, told) == {(HERE,): 1, (THERE,): 1}
    assert count(models.TOKENS, told) == {(HERE,): 212 + 48, (THERE,): 230 + 164}
    assert count(models.PROMPT, told) == {(HERE,): 212, (THERE,): 230}
    assert count(models.COMPLETION, told) == {(HERE,): 48, (THERE,): 164}
    assert count(models.COST, told) == {(THERE, "USD"): 0.00234}
    made = {each.metric: each for each in metrics(told).readings()}
    times = {metric: {labels: round(sum_, 6) for labels, _, sum_ in made[metric].bins} for metric in (models.TTFT, models.LATENCY, models.TPOT)}  # fmt: skip
    assert times[models.TTFT] == {(HERE,): 0.095, (THERE,): 0.41}
    assert times[models.LATENCY] == {(HERE,): 0.64, (THERE,): 1.9}
    assert times[models.TPOT] == {(HERE,): round(0.64 / 48, 6), (THERE,): round(1.9 / 164, 6)}


def test_a_call_that_failed_has_no_time_of_an_answer() -> None:
    """Nor has one that was given up."""
    told = record(
        5, draft(None, outcome="failed", error="Unreachable", first_token_ms=None), draft(None, outcome="cancelled")
    )

    assert count(models.LATENCY, told) == {}
    assert count(models.REQUESTS, told) == {(HERE,): 2}
    assert count(failures.ERRORS, told) == {(HERE, "model_lost"): 1, (HERE, "cancellation"): 1}


def test_requests_that_nobody_answered() -> None:
    """By upstream's words where it has them; an error that nobody planned tells its name to no one."""
    told = (
        record(1, outcome="refused", error="Private", model="?", decision=None),
        record(2, outcome="cancelled", model="auto"),
        record(3, outcome="failed", error="SomebodysLibraryError", model="local"),
    )

    assert count(failures.ERRORS, *told) == {
        ("other", "pii_policy_denied"): 1,
        ("auto", "cancellation"): 1,
        ("local", "internal_error"): 1,
    }
    assert count(failures.ERRORS, record(1)) == {}  # a recipe's text is an answer


def test_rules_that_matched_and_rules_that_could_not_look() -> None:
    """A rule counts once a request, however often it saw something; what only measured doesn't."""
    told = escalated(2)

    assert ("email", "email") in count(signals.MATCHES, told, told)
    assert set(count(signals.MATCHES, told, told).values()) == {2.0}
    assert ("context", "tokens") not in count(signals.MATCHES, told)
    assert count(signals.FAILURES, told) == {("fact_check", "deadline"): 1}


def test_decisions_of_recipes_and_of_rules() -> None:
    """Who is asked first, and who answered instead of the name that was asked for."""
    told = (escalated(2), kept_here(3))

    assert count(decisions.REASONS, *told) == {("recipe", HERE): 1, ("auto-private", HERE): 1}
    assert count(decisions.CHANGED, *told) == {("auto", THERE): 1, ("local", HERE): 1}
    assert count(decisions.MATCHES, *told) == {("hard_code",): 1}
    assert count(decisions.CONFIDENCE, *told) == {("hard_code",): 1}
    assert count(decisions.PLUGINS, *told) == {("system_prompt", "hard_code", "success"): 1}
    named = record(9, asked_away(), model=THERE, decision=wire.Decision("model-named", "single", (THERE,)))
    assert count(decisions.CHANGED, named) == {}
    assert count(decisions.REASONS, record(8, decision=None)) == {}


def test_drafts_and_what_became_of_them() -> None:
    """A draft below its threshold escalates; one that turned out otherwise collapsed."""
    told = (escalated(2), record(1, draft(0.91)), record(3, draft(0.7, collapse="fell")), record(4, draft(None)))

    assert count(loopers.DRAFTS, *told) == {(HERE, "escalated"): 1, (HERE, "passed"): 2}
    assert count(loopers.COLLAPSES, *told) == {(HERE, "fell"): 1}
    failed = record(5, draft(None, outcome="failed", error="Unreachable"), draft(role="judge"))
    assert count(loopers.ATTEMPTS, failed) == {
        ("confidence", "answer", "failed", "model_lost"): 1,
        ("confidence", "judge", "answered", "none"): 1,
    }
    assert count(loopers.DURATION, *told) == {("confidence", "answered"): 4}


def test_what_the_boundary_found_and_kept() -> None:
    """A value that stays is a violation for each model that would have been asked."""
    kept = kept_here(3)

    assert count(boundary.FINDINGS, kept, escalated(2)) == {
        ("secret", "stay"): 1,
        ("email", "mask"): 2,
        ("person", "mask"): 1,
    }
    assert count(boundary.VIOLATIONS, kept, escalated(2)) == {(THERE, "secret"): 1}
    asked = wire.Asked("work", "denied", 3.0)
    told = record(1, asked=(asked, asked), kept_back=2, reduction=wire.Reduction("rules", {}, "told"))
    assert count(boundary.HELD, told) == {("denied",): 2}
    assert count(boundary.KEPT_BACK, told) == {(): 2}
    assert count(boundary.REDUCED, told, record(2, reduction=wire.Reduction("rules"))) == {
        ("rules", "told"): 1,
        ("rules", "done"): 1,
    }


def test_what_left_is_counted_once() -> None:
    """A receipt is told twice: as it leaves, and when it is over. One without an end has left all the same."""
    (receipt,) = escalated(2).receipts
    told = [*begun_and_ended([receipt]), open_of(receipt)]

    assert count(crossings.CROSSINGS, *told) == {("work", "cloud", "request"): 2}
    assert count(crossings.SENT, *told) == {("work", "cloud"): 2 * 1843}
    assert count(crossings.ENDS, *told) == {("work", "cloud", "answered"): 1}
    assert count(crossings.RECEIVED, *told) == {("work", "cloud"): 2120}
    assert count(boundary.MASKED, *told) == {("auto-confidence", "email"): 4, ("auto-confidence", "person"): 2}


def test_pictures_by_kind_and_by_why_not() -> None:
    """A code of those that nobody could look at, and how long looks took."""
    told = with_pictures(1)

    assert count(pictures.PICTURES, told) == {
        ("image", "identity_document", "seen"): 1,
        ("image", "photo", "seen"): 1,
        ("file", "none", "seen"): 1,
        ("image", "none", "too-large"): 1,
    }
    assert count(pictures.TOOK, told) == {("image",): 1, ("file",): 1}
    assert count(pictures.FINDINGS, told) == {("PERSON",): 2, ("MRZ",): 1}
    assert values(metrics(), pictures.PAINTED) == {(): 6}
    assert values(metrics(), pictures.BOXES) == {(): 7}


def test_the_daemon_as_it_is() -> None:
    """A model is in one state."""
    made = metrics(*a_day())

    assert values(made, state.INFO) == {("0.1.0",): 1}
    assert {labels for labels, value in values(made, state.STATE).items() if value} == {(HERE, "ready")}
    assert len(values(made, state.STATE)) == 6
    assert values(made, state.QUEUED) == {(HERE,): 3}
    assert values(made, state.RESTARTS) == {(HERE,): 1}
    assert values(made, state.WAITING) == values(made, state.LOCAL_ONLY) == {(): 1}
