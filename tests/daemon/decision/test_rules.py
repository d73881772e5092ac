"""Which rule a request falls under."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.boundary.judge import Clearance, Clearances, Finding
from daemon.decision.rules import (
    Candidate,
    Decision,
    Offer,
    Policy,
    away_from,
    decide,
    here_if_spent,
    of_several_answers,
    with_way_back,
)
from daemon.errors import Private, Refused, SpendingLimit, UnknownModel
from daemon.signals.base import Span
from providers.contract import Message, Request, Text

BIG = Candidate("work", "big")
LOCAL_ONLY = Offer(local=("mine", "smollm2"))
WITH_CLOUD = Offer(local=("mine", "smollm2"), cloud=(BIG,), providers=("work",))
OPEN, MASKED = Clearances(Clearance("open")), Clearances(Clearance("masked"))
DEVICE = Clearances(Clearance("device", why=("private",)))
MAY, MAY_NOT = Policy(True, 0.5), Policy(False, 0.5)
MINE = Candidate("local", "mine")
DRAFT = Candidate("local", "mine", 0.5)


def request(model: str) -> Request:
    return Request(id="0" * 16, model=model, messages=(Message("user", (Text("hi"),)),), protocol="test")


@pytest.mark.parametrize(
    ("name", "rule", "model"),
    [
        ("local", "model-local", "mine"),
        ("local/smollm2", "model-named", "smollm2"),
        ("local/mine", "model-named", "mine"),
        ("auto", "auto-no-cloud", "mine"),
    ],
)
def test_local_names(name: str, rule: str, model: str) -> None:
    """`local` is the first model of this machine, `local/NAME` the one named; alone, `auto` is `local`."""
    decision = decide(request(name), OPEN, LOCAL_ONLY, MAY)

    assert (decision.rule, decision.looper, decision.candidates) == (rule, "single", (Candidate("local", model),))


def test_who_is_away_makes_room_for_the_next_that_is_cleared() -> None:
    """A provider that can't be asked is told with why; the next one is asked if it may see the request, and never another."""
    private, other = Candidate("secretive", "big"), Candidate("other", "big")
    offer = replace(
        WITH_CLOUD, cloud=(BIG, private, other), providers=("work", "secretive", "other"), away={"work": "down"}
    )
    clearances = Clearances(Clearance("open"), {"secretive": Clearance("device", why=("private",))})
    decision = away_from(decide(request("auto"), clearances, offer, MAY), clearances, offer)

    assert decision.candidates == (DRAFT, other)
    assert decision.away == {"work/big": "down"}
    assert decision.left_out == ("secretive/big",)
    gone = replace(offer, away={"work": "down", "other": "no-credit"})
    decision = away_from(decide(request("auto"), clearances, gone, MAY), clearances, gone)
    assert (decision.rule, decision.candidates) == ("auto-away", (MINE,))
    assert decision.away == {"work/big": "down", "other/big": "no-credit"}
    named = away_from(decide(request("cloud"), clearances, offer, MAY), clearances, offer)
    assert (named.candidates, named.away) == ((BIG,), {})


@pytest.mark.parametrize(
    ("clearance", "offer", "policy", "rule", "candidates"),
    [
        (OPEN, WITH_CLOUD, MAY, "auto-confidence", (DRAFT, BIG)),
        (MASKED, WITH_CLOUD, MAY, "auto-confidence", (DRAFT, BIG)),
        (DEVICE, WITH_CLOUD, MAY, "auto-private", (MINE,)),
        (OPEN, WITH_CLOUD, MAY_NOT, "auto-no-token", (MINE,)),
        (OPEN, replace(WITH_CLOUD, online=False), MAY, "auto-offline", (MINE,)),
        (OPEN, replace(WITH_CLOUD, away={"work": "offline"}), MAY, "auto-offline", (MINE,)),
        (OPEN, replace(WITH_CLOUD, away={"work": "down"}), MAY, "auto-away", (MINE,)),
        (OPEN, replace(WITH_CLOUD, away={"work/big": "limited"}, slow_local=True), MAY, "auto-away", (MINE,)),
        (OPEN, replace(WITH_CLOUD, away={"work/small": "limited"}), MAY, "auto-confidence", (DRAFT, BIG)),
        (DEVICE, replace(WITH_CLOUD, away={"work": "down"}), MAY, "auto-private", (MINE,)),
        (OPEN, replace(WITH_CLOUD, slow_local=True), MAY, "auto-skip-local", (BIG,)),
        (OPEN, replace(WITH_CLOUD, late_local=True), MAY, "auto-skip-local", (BIG, MINE)),
        (OPEN, replace(WITH_CLOUD, late_local=True, slow_local=True), MAY, "auto-skip-local", (BIG,)),
        (OPEN, replace(WITH_CLOUD, fits_local=False), MAY, "auto-skip-local", (BIG,)),
        (DEVICE, replace(WITH_CLOUD, slow_local=True), MAY, "auto-private", (MINE,)),
        (OPEN, replace(WITH_CLOUD, blind_local=True), MAY, "auto-pictures", (BIG, MINE)),
        (OPEN, replace(WITH_CLOUD, blind_local=True, slow_local=True), MAY, "auto-pictures", (BIG, MINE)),
        (DEVICE, replace(WITH_CLOUD, blind_local=True), MAY, "auto-private", (MINE,)),
        (OPEN, replace(WITH_CLOUD, blind_local=True), MAY_NOT, "auto-no-token", (MINE,)),
        (OPEN, replace(WITH_CLOUD, collapsed="local"), MAY, "auto-after-collapse", (BIG, MINE)),
        (OPEN, replace(WITH_CLOUD, collapsed="work"), MAY, "auto-confidence", (DRAFT, BIG)),
        (DEVICE, replace(WITH_CLOUD, collapsed="local"), MAY, "auto-private", (MINE,)),
    ],
)
def test_auto(
    clearance: Clearances, offer: Offer, policy: Policy, rule: str, candidates: tuple[Candidate, ...]
) -> None:
    """`auto` is this machine first and the cloud if unsure, inside clearance, rights, network and patience."""
    decision = decide(request("auto"), clearance, offer, policy)

    assert (decision.rule, decision.candidates) == (rule, candidates)


NEAR = Candidate("ollama", "qwen")
NEAR_DRAFT = Candidate("ollama", "qwen", 0.5)
NEIGHBOUR = Offer(local=("mine",), near=(NEAR,), providers=("ollama",), device=("ollama",))
BOTH = replace(NEIGHBOUR, cloud=(BIG,), providers=("ollama", "work"))


@pytest.mark.parametrize(
    ("clearance", "offer", "policy", "candidates"),
    [
        (OPEN, NEIGHBOUR, MAY, (DRAFT, NEAR)),
        (DEVICE, NEIGHBOUR, MAY_NOT, (DRAFT, NEAR)),
        (OPEN, replace(NEIGHBOUR, demonstration=True), MAY, (NEAR, MINE)),
        (OPEN, replace(NEIGHBOUR, slow_local=True), MAY, (NEAR, MINE)),
        (OPEN, BOTH, MAY, (DRAFT, NEAR_DRAFT, BIG)),
        (OPEN, replace(BOTH, demonstration=True), MAY, (NEAR_DRAFT, BIG)),
        (OPEN, replace(BOTH, slow_local=True), MAY, (NEAR_DRAFT, BIG)),
        (OPEN, replace(NEIGHBOUR, blind_local=True), MAY, (NEAR, MINE)),
        (DEVICE, replace(BOTH, blind_local=True), MAY, (NEAR, MINE)),
        (OPEN, replace(BOTH, blind_local=True), MAY, (NEAR_DRAFT, BIG, MINE)),
        (OPEN, replace(NEIGHBOUR, collapsed="local"), MAY, (NEAR, MINE)),
        (OPEN, replace(BOTH, collapsed="local"), MAY, (NEAR_DRAFT, BIG, MINE)),
        (OPEN, replace(BOTH, collapsed="ollama"), MAY, (BIG, MINE)),
        (DEVICE, BOTH, MAY, (DRAFT, NEAR)),
        (OPEN, BOTH, MAY_NOT, (DRAFT, NEAR)),
        (OPEN, replace(BOTH, online=False), MAY, (DRAFT, NEAR)),
    ],
)
def test_auto_with_a_server_on_this_machine(
    clearance: Clearances, offer: Offer, policy: Policy, candidates: tuple[Candidate, ...]
) -> None:
    """It joins the loop between the local model and the cloud, may see what must not leave, and outdoes a demonstration."""
    decision = decide(request("auto"), clearance, offer, policy)

    assert (decision.looper, decision.candidates) == ("confidence", candidates)


def test_a_server_on_this_machine_by_name() -> None:
    """What must not leave may go to it, but not to a model that it passes on to its makers."""
    assert decide(request("ollama/qwen"), DEVICE, NEIGHBOUR, MAY).candidates == (NEAR,)
    with pytest.raises(Private):
        decide(request("ollama/big:cloud"), DEVICE, NEIGHBOUR, MAY)
    with pytest.raises(UnknownModel, match="beyond this machine"):
        decide(request("cloud"), OPEN, NEIGHBOUR, MAY)


@pytest.mark.parametrize("name", ["gpt-4o", "local/other", "other/big-model", "local/", "/mine", "AUTO"])
def test_unknown_names(name: str) -> None:
    """A name that nobody has is refused with those there are, and without quoting it."""
    with pytest.raises(UnknownModel) as caught:
        decide(request(name), OPEN, WITH_CLOUD, MAY)

    assert "local/mine" in str(caught.value)
    assert f" {name} " not in str(caught.value)


@pytest.mark.parametrize("name", ["cloud", "work/big", "work/another"])
def test_cloud_names(name: str) -> None:
    """The cloud is had by name with the right, without private values; who is refused is told the remedy."""
    decision = decide(request(name), MASKED, WITH_CLOUD, MAY)

    assert decision.candidates == (BIG if name == "cloud" else Candidate("work", name.partition("/")[2]),)
    with pytest.raises(Refused, match="client add"):
        decide(request(name), OPEN, WITH_CLOUD, MAY_NOT)
    with pytest.raises(Private, match="private values"):
        decide(request(name), DEVICE, WITH_CLOUD, MAY)


@pytest.mark.parametrize("name", ["work", "work/"])
def test_a_provider_is_no_model(name: str) -> None:
    """A provider's bare name says nothing of which model is meant, so nobody is asked for one without a name."""
    with pytest.raises(UnknownModel, match="PROVIDER/MODEL"):
        decide(request(name), OPEN, WITH_CLOUD, MAY)


def test_no_cloud_is_set_up() -> None:
    """`cloud` without a provider says how to add one, to whoever asks with the right."""
    with pytest.raises(UnknownModel, match="provider add"):
        decide(request("cloud"), OPEN, LOCAL_ONLY, MAY)
    with pytest.raises(Refused, match="client add"):
        decide(request("cloud"), OPEN, LOCAL_ONLY, MAY_NOT)


def test_a_provider_without_named_models() -> None:
    """It can be asked for a model by name, and `cloud` says what it lacks."""
    nameless = Offer(local=("mine",), providers=("work",))

    assert decide(request("work/big"), OPEN, nameless, MAY).candidates == (BIG,)
    with pytest.raises(UnknownModel, match="models"):
        decide(request("cloud"), OPEN, nameless, MAY)


def test_a_refusal_names_class_count_and_field() -> None:
    """What keeps a request here is told without any of it."""
    clearance = Clearance(
        "device", findings=(Finding("CREDIT_CARD", 2, "messages[0].parts[0]", "stay"),), why=("private",)
    )

    with pytest.raises(Private, match=r"2 CREDIT_CARD in messages\[0\]\.parts\[0\]"):
        decide(request("cloud"), Clearances(clearance), WITH_CLOUD, MAY)


def test_who_may_not_see_it_is_left_out() -> None:
    """Each provider has its own clearance: `auto` asks the first that may see the request and names the others, and who is
    asked for by name is refused by its own.
    """
    cheap = Candidate("cheap", "small")
    offer = replace(WITH_CLOUD, cloud=(cheap, BIG), providers=("cheap", "work"))
    kept = Clearance("device", findings=(Finding("PERSON", 1, "messages[0].parts[0]", "stay"),), why=("private",))
    clearances = Clearances(Clearance("masked"), {"cheap": kept})

    decision = decide(request("auto"), clearances, offer, MAY)

    assert decision.candidates[-1] == BIG
    assert decision.left_out == ("cheap/small",)
    assert decide(request("work/big"), clearances, offer, MAY).candidates == (BIG,)
    with pytest.raises(Private, match="1 PERSON"):
        decide(request("cheap/small"), clearances, offer, MAY)
    assert decide(request("auto"), clearances.kept_here("doubtful"), offer, MAY).rule == "auto-private"


ASKS = Clearance("open", asks=(Span("messages[0].parts[0]", 0, 2, "PERSON"),))
HERE = Candidate("local", "mine")
OTHER = Candidate("cheap", "small")


@pytest.mark.parametrize(
    ("looper", "candidates", "clearance", "wanted"),
    [
        ("single", (BIG,), ASKS, ("confidence", (BIG, HERE))),
        ("confidence", (OTHER, BIG), ASKS, ("confidence", (OTHER, BIG, HERE))),
        ("single", (BIG,), Clearance("masked"), ("single", (BIG,))),
        ("single", (HERE,), ASKS, ("single", (HERE,))),
        ("confidence", (DRAFT, BIG), ASKS, ("confidence", (DRAFT, BIG))),
        ("fast_response", (), ASKS, ("fast_response", ())),
    ],
)
def test_the_way_back(
    looper: str, candidates: tuple[Candidate, ...], clearance: Clearance, wanted: tuple[str, tuple[Candidate, ...]]
) -> None:
    """Where the user has to be asked, and nobody on this machine would answer, this machine stands in."""
    decision = with_way_back(Decision("x", looper, candidates), Clearances(clearance), WITH_CLOUD)

    assert (decision.looper, decision.candidates, decision.way_back) == (*wanted, None)


def test_a_panels_way_back() -> None:
    """This machine stands in for any panel that may ask beyond it, since what one says may have to stay; it names itself."""
    for looper in ("ratings", "fusion", "remom", "workflows"):
        beyond = Decision("x", looper, (HERE, BIG))
        assert with_way_back(beyond, OPEN, WITH_CLOUD) == replace(beyond, way_back=HERE)
        here = Decision("x", looper, (HERE,))
        assert with_way_back(here, OPEN, WITH_CLOUD) == here


def test_nobody_drafts_several_answers() -> None:
    """A draft is judged as one answer. Who needs no judgement comes first, and who can't give several does not come at all."""
    local, near, cloud = Candidate("local", "m", 0.8), Candidate("near", "n", 0.8), Candidate("work", "big")

    assert of_several_answers((local, near, cloud)) == (cloud, replace(near, threshold=None))
    assert of_several_answers((local,)) == (replace(local, threshold=None),)


def too_dear(*names: str) -> Offer:
    """An offer under limits that don't pay for these."""
    problem = SpendingLimit("all_day_usd", "spent", 60.0)
    return replace(WITH_CLOUD, capped=True, over=lambda each: problem if each.name in names else None)


@pytest.mark.parametrize(
    ("name", "rule"), [("auto", "auto-budget"), ("cloud", "model-budget"), ("work/big", "model-budget")]
)
def test_what_nothing_pays_for(name: str, rule: str) -> None:
    """This machine answers, by whatever name a cloud was asked, and it is told who would have been; others are asked yet."""
    decision = decide(request(name), OPEN, too_dear("work/big"), MAY)

    assert (decision.rule, decision.candidates, decision.over_limit) == (rule, (MINE,), ("work/big",))
    other = replace(too_dear("work/big"), cloud=(BIG, Candidate("cheap", "small")), providers=("work", "cheap"))
    decision = decide(request("auto"), OPEN, other, MAY)
    assert (decision.candidates, decision.over_limit) == ((DRAFT, Candidate("cheap", "small")), ("work/big",))


@pytest.mark.parametrize("name", ["auto", "cloud"])
@pytest.mark.parametrize("lack", [{"demonstration": True}, {"fits_local": False}])
def test_what_nobody_here_can_answer(name: str, lack: dict[str, bool]) -> None:
    """The limit is the error then: a demonstration's word is none."""
    with pytest.raises(SpendingLimit):
        decide(request(name), OPEN, replace(too_dear("work/big"), **lack), MAY)


def test_what_is_spent_meanwhile() -> None:
    """Where there are limits somebody here stands behind whoever is asked beyond it, and only there."""
    asked = Decision("model-cloud", "single", (BIG,))
    assert here_if_spent(asked, too_dear()).if_spent == MINE
    assert here_if_spent(asked, WITH_CLOUD) == asked
    assert here_if_spent(asked, replace(too_dear(), demonstration=True)).if_spent is None
