"""Shapes of the control API, for the daemon and for everything that watches it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Egress = Literal["none", "masked", "open", "pending"]
Outcome = Literal["answered", "cancelled", "refused", "failed"]
CrossingOutcome = Literal["answered", "silent", "cut", "unsent"]
PricedBy = Literal["settings", "recipe", "list", "told", "plan"]
"""By whom a price is known: `told` with the answer, `plan` if a subscription pays."""
CURVE_POINTS: Final = 256
"""Of a draft's curve: two a cell on a terminal of 120, and 1.5 kB of a record."""
ModelState = Literal["cold", "preparing", "loading", "ready", "restarting", "failed"]


class Discovery(Struct, frozen=True):
    """What a running daemon writes into the runtime folder. ollama_port: where it listens too, if the settings want that;
    ollama_trouble: why it does not. exposed: addresses that it listens on besides, and other machines may reach.
    """

    port: int
    pid: int
    version: str
    started_at: datetime
    ollama_port: int | None = None
    ollama_trouble: str | None = None
    exposed: tuple[str, ...] = ()


class Warning(Struct, frozen=True):
    """Something that the user should know. code: stable. remedy: what to do."""

    code: str
    severity: Literal["info", "warning", "error"]
    text: str
    remedy: str


class Model(Struct, frozen=True):
    """A model that this daemon can answer with.

    context_tokens, engine versions and device are known once it was loaded. fraction: progress of the present state.
    device_why: why it runs there, in words.
    running, waiting: requests in it and in front of it. confinement: what holds its process, in the words of
    edge_models/confinement/process.py. estimate_bytes: what it comes to when it is busy, reckoned before it is loaded.
    keep_s: how long it stays loaded without a request, None for always.
    """

    name: str
    engine: str
    state: ModelState
    demonstration: bool
    fraction: float | None = None
    context_tokens: int | None = None
    device: str | None = None
    device_why: str | None = None
    versions: dict[str, str] = {}
    worker_pid: int | None = None
    error: str | None = None
    running: int = 0
    waiting: int = 0
    restarts: int = 0
    confinement: tuple[str, ...] = ()
    memory_cap_bytes: int | None = None
    estimate_bytes: int | None = None
    keep_s: float | None = None


class Status(Struct, frozen=True):
    """The daemon at one glance. records: how many are kept, None if the file can't be read. recipe: the one in use.
    local_only: whether nothing leaves. exposed: where other machines find it, as URLs; none, if it listens on loopback only.
    waiting: how many requests and tool calls wait for the user's word.
    """

    version: str
    pid: int
    port: int
    started_at: datetime
    uptime_s: float
    models: tuple[Model, ...]
    warnings: tuple[Warning, ...]
    requests: int
    in_flight: int
    records: int | None
    recipe: str | None = None
    local_only: bool = False
    exposed: tuple[str, ...] = ()
    waiting: int = 0


class Privacy(Struct, frozen=True):
    """What may leave. local_only: nothing, whatever else is set. policy: the preset for projects without their own."""

    local_only: bool
    policy: str


class Treated(Struct, frozen=True):
    """What is done with a class of finds. kind: a class, a privacy signal or `opaque`. by: whether the class is named, its
    signal is, or the preset says it.
    """

    kind: str
    treatment: Literal["stay", "ask", "reduce", "mask", "pass"]
    by: Literal["class", "signal", "preset"]


class PolicyInForce(Struct, frozen=True):
    """What may leave, class by class. providers, projects: those with rules of their own, and what is another thing there.
    ask_s: how long a request waits for the user's word. sinks: what becomes of a secret that a tool call could carry out.
    """

    privacy: str
    classes: tuple[Treated, ...]
    ask_s: float
    sinks: Literal["alias", "ask"]
    providers: dict[str, tuple[Treated, ...]] = {}
    projects: dict[str, tuple[Treated, ...]] = {}


WordKind = Literal["person", "organization", "term", "harmless"]


class OwnWord(Struct, frozen=True):
    """A word of the user's dictionary. kind: harmless ones are no findings, the others are private."""

    word: str
    kind: WordKind


class OwnWords(Struct, frozen=True):
    """The user's dictionary. everyday: which of the words that were just added stand in anybody's texts."""

    words: tuple[OwnWord, ...]
    everyday: tuple[str, ...] = ()


class NewWords(Struct, frozen=True, forbid_unknown_fields=True):
    """Words to take in."""

    words: tuple[str, ...]
    kind: WordKind = "term"


class GoneWords(Struct, frozen=True, forbid_unknown_fields=True):
    """Words to forget, of whatever kind."""

    words: tuple[str, ...]


class NewOutcome(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether an answer was right, as its reader found."""

    right: bool


class Learned(Struct, frozen=True):
    """What an outcome is added to. outcomes: that are known of this model's setup in this family."""

    record: str
    family: str
    outcomes: int


class NewPrivacy(Struct, frozen=True, forbid_unknown_fields=True):
    """Turn the switch that keeps everything here."""

    local_only: bool


class Look(Struct, frozen=True):
    """A draft, held against what it needs at one point of its way. tokens: how many there were by then. score, threshold: on
    the scale of the attempt's `confidence`. verdict: open: it would pass as it stands, amber: it would not, hopeless: it
    can't any more; passed, failed: that was the judgement.
    """

    tokens: int
    score: float
    threshold: float
    verdict: Literal["open", "amber", "hopeless", "passed", "failed"]


class Attempt(Struct, frozen=True):
    """One call of one candidate. first_token_ms: from the attempt's start; None if there never was one.

    place: device, lan or cloud; None in records of versions that didn't write it. standing: what confidence and threshold
    are worth (certified, calibrated, uncertified, upstream), family: what kind of answer was sought, setup, odds: whose
    calibration, and what it said before outcomes refined it; None where nobody judged. cost_usd: None: no price is known.
    role: what a looper asked it for; None: the answer. side: which of the answers that say the same it stands with, A for
    most votes; None: there was no vote. score: what others gave its answer, 0 to 1. whole: how sure all of an answer
    was that was let begin by its beginning, on the scale of `confidence`; collapse: how that turned out otherwise (fell,
    unusable, repetitive). effect, keys: of a draft that calls tools, what that would do and what it needed for it, as
    [tools] has them; none_fits: how likely it is that no tool fits. began_ms: after the request came. curve: of a draft, how
    probable each of its curve_tokens tokens was, as natural logs; of more than CURVE_POINTS tokens the least of neighbours.
    looks: how it was judged on its way. cached_tokens, stored_tokens, stored_long_tokens: of the prompt, read from the
    provider's cache, and written to it for minutes and for an hour. credential: where the provider's key was kept that went
    with it; None: none did. priced_by: as in a receipt; None where nothing is paid, or nobody knows. reckoned: it ended
    before anybody told what it took, which is taken to be reckoned_prompt and reckoned_completion tokens.
    """

    provider: str
    model: str
    outcome: Outcome
    took_ms: float
    first_token_ms: float | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reason: str | None = None
    error: str | None = None
    engine: str | None = None
    device: str | None = None
    confidence: float | None = None
    threshold: float | None = None
    passed: bool | None = None
    mean_logprob: float | None = None
    min_logprob: float | None = None
    place: str | None = None
    standing: str | None = None
    family: str | None = None
    setup: str | None = None
    odds: float | None = None
    cost_usd: float | None = None
    role: str | None = None
    side: str | None = None
    score: float | None = None
    whole: float | None = None
    collapse: str | None = None
    effect: str | None = None
    keys: str | None = None
    none_fits: float | None = None
    began_ms: float | None = None
    curve: tuple[float, ...] = ()
    curve_tokens: int = 0
    looks: tuple[Look, ...] = ()
    cached_tokens: int = 0
    stored_tokens: int = 0
    credential: str | None = None
    stored_long_tokens: int = 0
    priced_by: PricedBy | None = None
    reckoned: bool = False
    reckoned_prompt: int = 0
    reckoned_completion: int = 0


class Tls(Struct, frozen=True):
    """What protected a connection. issuer, issuer_name: organisation and common name of who signed the server's certificate.

    root: whether that goes back to a root that is public (Mozilla's list); unknown where the system doesn't tell.
    """

    version: str
    issuer: str | None
    issuer_name: str | None
    root: Literal["public", "private", "unknown"]


class Receipt(Struct, frozen=True):
    """What left this machine, once. sha256: of the body's exact bytes. masks: label to number of replaced values.

    number: its place in the chain of receipts; 0 in records of versions that had none. purpose: `request` for a record's
    words; `models` and `download` carry none. by: which of our processes. rule: what decided it, a rule's code or
    `RECIPE/DECISION`. policy: the privacy preset, and how far it let the request go. reduced: by what it was made to tell
    less, not to be turned back; None: it wasn't. tls: None if it went in clear.
    outcome: None: not known (yet). unsent: written down, and then nothing was sent. silent: no answer began. cut: it was not
    read to its end. answer_bytes: of the answer's body, unpacked. cost_usd: None where no price is known. priced_by: the
    user's or the recipe's price, the list of the model's maker as it was on the day prices_as_of (2026-11-30), or `told`
    with the answer; `plan`: a subscription pays. credential: where the provider's key was kept that went with it, never the
    key; None: none did, or the version didn't write it.
    """

    at: Annotated[datetime, Meta(tz=True)]
    provider: str
    model: str | None
    host: str
    place: str
    body_bytes: int
    sha256: str
    masks: dict[str, int]
    number: int = 0
    purpose: Literal["request", "models", "download", "picture"] = "request"
    by: str = "daemon"
    record: str | None = None
    path: str = ""
    via: str | None = None
    tls: Tls | None = None
    rule: str | None = None
    policy: str | None = None
    reduced: str | None = None
    outcome: CrossingOutcome | None = None
    status: int | None = None
    answer_bytes: int | None = None
    cost_usd: float | None = None
    priced_by: PricedBy | None = None
    prices_as_of: str | None = None
    credential: str | None = None


class Receipts(Struct, frozen=True):
    """Receipts, newest first."""

    receipts: tuple[Receipt, ...]


class ChainProblem(Struct, frozen=True):
    """A place where the chain of receipts doesn't hold. number: of the link, None if it can't be read. line: from 1."""

    file: str
    line: int
    number: int | None
    text: str


class ReceiptChain(Struct, frozen=True):
    """How the chain of receipts stands. first, last: numbers of its links, None if there are none. head: the SHA-256 of the
    last one, which stands for all before it. remarks: what is no break and should be known.
    """

    whole: bool
    links: int
    first: int | None
    last: int | None
    begins: datetime | None
    ends: datetime | None
    head: str | None
    problems: tuple[ChainProblem, ...] = ()
    remarks: tuple[str, ...] = ()


class Run(Struct, frozen=True):
    """A time in which the daemon ran. ended: how: `stopped`, `runs` still, or `vanished`: without a word, at `last_sign` or
    later.
    """

    started_at: datetime
    version: str
    ended: Literal["stopped", "runs", "vanished"]
    last_sign: datetime


class LeftFor(Struct, frozen=True):
    """How often something went to one place for one purpose, and how much."""

    provider: str
    host: str
    place: str
    purpose: str
    crossings: int
    body_bytes: int


class LocalProof(Struct, frozen=True):
    """What left this machine since a time, as far as Nearloop did it, and from what evidence.

    verdict: nothing-left; left; not-proven: `gaps` say why the evidence doesn't cover the time. near: went to servers on
    this machine. covers, leaves_out: in words, whom this is about and whom it isn't.
    """

    since: datetime
    until: datetime
    verdict: Literal["nothing-left", "left", "not-proven"]
    left: tuple[LeftFor, ...]
    near: tuple[LeftFor, ...]
    runs: tuple[Run, ...]
    chain: ReceiptChain
    records_agree: int
    gaps: tuple[str, ...]
    covers: tuple[str, ...]
    leaves_out: tuple[str, ...]


class Held(Struct, frozen=True):
    """A likeness on another scale than its threshold's. likeness: as measured here. threshold: as the recipe has it. here:
    the same place on this machine's scale.
    """

    likeness: float
    threshold: float | None = None
    here: float | None = None


class Seen(Struct, frozen=True):
    """What a signal saw, without any of it. places: in how many spots. held: how a likeness was held against a threshold
    that was chosen for another embedder; None if none was. matched: False if it only measured, or could not look; None in
    records of versions that didn't write it.
    """

    signal: str
    name: str
    label: str | None
    score: float
    value: float | None
    places: int
    took_ms: float
    error: str | None = None
    held: Held | None = None
    matched: bool | None = None


class Finding(Struct, frozen=True):
    """A class of private value: how often, in which field, and what was done about it."""

    label: str
    count: int
    path: str
    treatment: Literal["stay", "ask", "reduce", "mask", "pass"]


class Clearance(Struct, frozen=True):
    """How far the request was allowed to travel, and why not farther. providers: to those with rules of their own."""

    reach: Literal["device", "masked", "open"]
    findings: tuple[Finding, ...]
    why: tuple[str, ...]
    providers: dict[str, Clearance] = {}


class Picture(Struct, frozen=True, kw_only=True):
    """What was seen of one picture or document of a request, and none of its words. path: where it stands.

    form: the real format; width, height: in pixels, upright; None and 0: nobody could look. pages: of a document, or frames.
    size_bytes: None: it isn't carried in the request. kind: the likeliest, and how probable; thing: of what a photograph
    shows, likewise. words: how many were read. findings: how many values of which class are among them. explicit, detail: in
    [0, 1]; None: not looked at. took_ms: until it was seen, since the request's pictures were begun with. error: why nobody
    could look, as a code.
    """

    path: str
    part: Literal["image", "file"]
    form: str | None = None
    width: int = 0
    height: int = 0
    pages: int = 1
    size_bytes: int | None = None
    kind: str | None = None
    probability: float | None = None
    thing: str | None = None
    thing_probability: float | None = None
    words: int = 0
    findings: dict[str, int] = {}
    explicit: float | None = None
    detail: float | None = None
    took_ms: float | None = None
    error: str | None = None


class Route(Struct, frozen=True, kw_only=True):
    """What a recipe said: which of its decisions, and how it found the model, in its own words.

    confidence: where it was measured. notes: why candidates were passed over, as codes.
    """

    recipe: str
    decision: str | None
    algorithm: str = "static"
    method: str = ""
    model: str = ""
    confidence: float | None = None
    plugins: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Decision(Struct, frozen=True):
    """Which rule chose whom, and how they are asked. candidates: `PROVIDER/MODEL`, in order. route: a recipe's word.

    left_out: who would have been asked, had the request been cleared for them. away: who could not be asked then, and why,
    as a code: `limited`, `down`, `no-credit`, `offline`. over_limit: had what may be spent paid for it.
    """

    rule: str
    looper: str
    candidates: tuple[str, ...]
    route: Route | None = None
    left_out: tuple[str, ...] = ()
    away: dict[str, str] = {}
    over_limit: tuple[str, ...] = ()


class Asked(Struct, frozen=True):
    """That the user was asked whether something may leave. to: which provider it was about, or `tool`. waited_s: how long
    the request waited for that.
    """

    to: str
    outcome: Literal["allowed", "masked", "denied", "not-answered", "crowded"]
    waited_s: float


class Ledger(Struct, frozen=True):
    """What an answer cost. unpriced: calls whose price nobody knows, and which are not in `cost_usd`. joules: of the whole
    machine meanwhile; None: it doesn't tell. spent: limits of [budget] that kept something from being done. hedges: calls
    that were begun beside a draft and not needed in the end, hedges_cost_usd: what of `cost_usd` is theirs. reckoned: tokens
    of calls that ended before anybody told their number, which are not among the others.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    joules: float | None = None
    spent: tuple[str, ...] = ()
    hedges: int = 0
    hedges_cost_usd: float = 0.0
    reckoned: int = 0


class Saved(Struct, frozen=True):
    """An estimate of what an answer from this machine would have cost elsewhere. against: at whom, `PROVIDER/MODEL`. usd:
    the same tokens at that one's price, although that one counts tokens otherwise; None: nobody knows the price.
    """

    against: str
    usd: float | None


class Reduction(Struct, frozen=True):
    """What was done to a request that tells of somebody who could be guessed. by: `rules`. changes: how many facts of which
    kind were taken out of what leaves. why: a code, if it could not be made to tell less, and stayed.
    """

    by: str
    changes: dict[str, int] = {}
    why: str | None = None


class Audit(Struct, frozen=True):
    """That an answer was asked for once more, when it was out. by: of whom, `PROVIDER/MODEL`. same: whether that one said
    the same; None: it can't be told, or it did not answer: error. cost_usd: of that call, as far as its price is known.
    """

    by: str
    same: bool | None
    cost_usd: float = 0.0
    error: str | None = None


class Record(Struct, frozen=True, kw_only=True):
    """The execution record of one request. No words: counts, names and times.

    egress: what left this machine for this answer. streamed: whether the client read deltas. kept_back: tool calls in which
    a secret's alias was left, since they could have carried it out. reduction: None: none was called for. notes: how it
    went, as codes of its looper's. audit: whose attempt, receipts and cost are among the others; it came behind the answer.
    saved: of an answer from this machine, where a cloud is set up.
    pictures: the newest of those that it carried; pictures_before: how many there are before them.
    """

    id: str
    at: datetime
    protocol: str
    client: str | None
    project: str | None
    session: str | None
    model: str
    streamed: bool
    outcome: Outcome
    egress: Egress
    took_ms: float
    waited_ms: float
    messages: int
    prompt_chars: int
    answer_chars: int
    decision: Decision | None
    attempts: tuple[Attempt, ...]
    ledger: Ledger
    ignored: tuple[str, ...] = ()
    error: str | None = None
    seen: tuple[Seen, ...] = ()
    clearance: Clearance | None = None
    receipts: tuple[Receipt, ...] = ()
    confidence: str | None = None
    kept_back: int = 0
    asked: tuple[Asked, ...] = ()
    reduction: Reduction | None = None
    notes: tuple[str, ...] = ()
    audit: Audit | None = None
    saved: Saved | None = None
    pictures: tuple[Picture, ...] = ()
    pictures_before: int = 0

    @property
    def given(self) -> int | None:
        """Which attempt the client got, a hedge's too; None: none, or several together."""
        if self.outcome != "answered":
            return None
        whole = [
            (number, each)
            for number, each in enumerate(self.attempts)
            if each.outcome == "answered" and each.role in (None, "hedge", "synthesis")
        ]
        sure = [
            number for number, each in whole if each.passed is not False
        ]  # else a draft, where nobody else was there
        return sure[-1] if sure else whole[-1][0] if whole else None


class Content(Struct, frozen=True):
    """The words of one request, kept only while `records.content` is on. request: the neutral messages. reduced: the same
    as they were made to tell less; None: they weren't.
    """

    request: list[dict[str, Any]]
    answer: str
    reduced: list[dict[str, Any]] | None = None


class Taught(Struct, frozen=True):
    """What was learned of one answer or draft. by: who said so (feedback, audit, disagreement, tool_error, correction,
    regenerate). family: the kind of answer that it teaches about.
    """

    by: str
    right: bool
    family: str
    at: datetime


class RecordDetail(Struct, frozen=True):
    """One record, with its words if they were kept, and what was learned from it since."""

    record: Record
    content: Content | None = None
    taught: tuple[Taught, ...] = ()


class Records(Struct, frozen=True):
    """Records, newest first."""

    records: tuple[Record, ...]


class Purged(Struct, frozen=True):
    """How many records were deleted."""

    deleted: int


class Forgotten(Struct, frozen=True):
    """Data of the event `purged`: records of requests that came before then were deleted."""

    before: Annotated[datetime, Meta(tz=True)]


class HeldFind(Struct, frozen=True):
    """Values of one class in one field, of which the user is asked. words: the very values, for the admin token alone.
    masked: what would stand in their place, where something can. Of many or long ones not all is shown; count: how many.
    """

    label: str
    count: int
    path: str
    masked: tuple[str, ...] = ()
    words: tuple[str, ...] | None = None


class Approval(Struct, frozen=True, kw_only=True):
    """Something that waits for the user's word. kind: a request that may leave if it is let, or a tool call that would carry
    a secret. until: when its time is over, and it stays. tool: of a call. may_mask: whether it can leave masked instead.
    """

    id: str
    kind: Literal["request", "call"]
    record: str
    at: datetime
    until: datetime
    finds: tuple[HeldFind, ...]
    client: str | None = None
    session: str | None = None
    project: str | None = None
    provider: str = ""
    model: str = ""
    tool: str | None = None
    may_mask: bool = False


class Approvals(Struct, frozen=True):
    """What waits, the oldest first."""

    approvals: tuple[Approval, ...]


class ApprovalNews(Struct, frozen=True):
    """Data of the event `approval`. state: `waiting`, or how it ended; `gone`: its client went away. classes: how many
    values of which.
    """

    id: str
    kind: Literal["request", "call"]
    state: Literal["waiting", "allowed", "masked", "denied", "not-answered", "crowded", "gone"]
    until: datetime
    provider: str
    classes: dict[str, int]


class NewAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """The user's word. scope: for how long it holds that values may pass as they are: this once, for the client's session,
    or for good for this client.
    """

    answer: Literal["allow", "mask", "deny"]
    scope: Literal["once", "session", "project"] = "once"


class NewApproval(Struct, frozen=True, forbid_unknown_fields=True):
    """What request `record` held may leave. record: its id, or a unique prefix."""

    record: str
    scope: Literal["once", "project"]


class Approved(Struct, frozen=True):
    """How many values may leave."""

    values: int


class Event(Struct, frozen=True):
    """Something happened. seq: numbered without gaps from 1. kind: `state` carries everything, others a change."""

    seq: int
    at: datetime
    kind: str
    data: Any
    record: str | None = None


class Events(Struct, frozen=True):
    """Events after `since`. next: pass it as `since` next time."""

    next: int
    events: tuple[Event, ...]


class Models(Struct, frozen=True):
    """All models."""

    models: tuple[Model, ...]


class Holding(Struct, frozen=True):
    """A model that is here or could be. in_use: the settings name it, so `local/NAME` answers. default: it is what `local`
    means. source: where its files are from: our own packages, a hub, another program or the user; `hub`: still there.

    runnable: an engine of ours is meant for it. confirmed: see edge_models/hub_models.py; begun: a part of it was fetched;
    both only of those still on the hub. kind: `unknown` of a part that the catalogue doesn't know.
    """

    name: str
    source: Literal["package", "download", "import", "hub"]
    in_use: bool
    default: bool
    kind: str
    engine: str
    runnable: bool
    size_bytes: int | None
    licence: str | None
    path: str | None
    confirmed: bool = True
    begun: bool = False


class Fetch(Struct, frozen=True):
    """How far a model's fetching is: data of the event `fetch`. file: the one that comes now, whole_bytes: of it, if it says
    so. told: the last words of it.
    """

    model: str
    state: Literal["running", "done", "failed", "stopped"]
    told: str = ""
    file: str | None = None
    done_bytes: int = 0
    whole_bytes: int | None = None


class Inventory(Struct, frozen=True):
    """All models that are here or could be, those in use first; and what is being fetched, or was since the start."""

    models: tuple[Holding, ...]
    fetches: tuple[Fetch, ...]


class NewFetch(Struct, frozen=True, forbid_unknown_fields=True):
    """A model to fetch: a name of the inventory, or ORGANISATION/REPOSITORY, with one of its files if it has several."""

    model: str
    file: str | None = None


class NewKeep(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a model stays loaded, whatever the settings say, until the daemon ends."""

    pinned: bool


class Device(Struct, frozen=True):
    """Something to compute on. id: OpenVINO's name. kind: cpu, igpu, dgpu or npu. driver: None if it does not tell."""

    id: str
    kind: str
    name: str
    driver: str | None
    memory_bytes: int | None
    capabilities: tuple[str, ...]


class AbsentDevice(Struct, frozen=True):
    """A kind of device that can't be used here, and why."""

    id: str
    why: str


class Probe(Struct, frozen=True):
    """How one model ran on one device. error: why it did not; then no numbers.

    short_s, long_s: until the first token, after a prompt of short_tokens and long_tokens. load: of the machine before it,
    in runnable tasks per core, since a busy machine measures itself slow.
    """

    device: str
    at: datetime
    load: float
    error: str | None = None
    load_s: float | None = None
    short_tokens: int | None = None
    short_s: float | None = None
    long_tokens: int | None = None
    long_s: float | None = None
    tokens_per_s: float | None = None
    context_tokens: int | None = None


class DeviceChoice(Struct, frozen=True):
    """Where a model runs at its next start, and why. setting: `auto`, or what the settings pin it to."""

    model: str
    setting: str
    device: str
    why: str
    probes: tuple[Probe, ...]


class Power(Struct, frozen=True):
    """What the machine can spare; None where the system does not tell. load: runnable tasks per core.

    profile: of the platform, in its own word. hot: throttled, or about to be. memory_stalled_percent: of the last 10 s in
    which some task waited for memory.
    """

    on_battery: bool | None
    battery_percent: float | None
    profile: str | None
    hottest_c: float | None
    hot: bool | None
    memory_available_bytes: int
    memory_total_bytes: int
    memory_stalled_percent: float | None
    load: float


class Devices(Struct, frozen=True):
    """The devices of this machine. trouble: why they can't be listed. probing: model and device that are measured now."""

    runtime: str | None
    devices: tuple[Device, ...]
    absent: tuple[AbsentDevice, ...]
    trouble: str | None
    choices: tuple[DeviceChoice, ...]
    probing: str | None
    power: Power


class NewProbe(Struct, frozen=True, forbid_unknown_fields=True):
    """Measure a model on every device. model: by bare name; None: the default one."""

    model: str | None = None


class ProbeStep(Struct, frozen=True):
    """Data of the event `probe`. device None: it is over, and `told` says how it went."""

    model: str
    device: str | None
    told: str | None = None


class RecipeProblem(Struct, frozen=True):
    """Something about the recipe in use: a part that this version doesn't have, and what happens instead."""

    code: str
    severity: str
    key: str
    message: str
    remedy: str
    line: int | None = None


class RecipeVersion(Struct, frozen=True):
    """A text that was in use. why: how it came into use."""

    number: int
    at: datetime
    digest: str
    why: str


class Recipes(Struct, frozen=True):
    """The recipe in use, and what else could be. name: as the settings have it; None: none. digest: of its text, the ETag.

    entrypoints: from model names to recipes. failure: why it is not what the settings name now.
    """

    name: str | None
    path: str | None = None
    digest: str | None = None
    recipes: tuple[str, ...] = ()
    entrypoints: dict[str, str] = {}
    failure: str | None = None
    problems: tuple[RecipeProblem, ...] = ()
    versions: tuple[RecipeVersion, ...] = ()


class RecipeText(Struct, frozen=True, forbid_unknown_fields=True):
    """A recipe's text, in the form of the file in use. form: yaml or dsl."""

    text: str
    form: str | None = None


class RecipeOffer(Struct, frozen=True):
    """A recipe that can be put to use. about: the first line of its first comment."""

    name: str
    built_in: bool
    about: str


class RecipeOffers(Struct, frozen=True):
    """All of them: built-in ones, and files beside the settings."""

    recipes: tuple[RecipeOffer, ...]


class RecipeChoice(Struct, frozen=True, forbid_unknown_fields=True):
    """Which recipe decides. name None: none does."""

    name: str | None


class NewRecipe(Struct, frozen=True, forbid_unknown_fields=True):
    """A recipe of the user's own. name: of its file, `mine.dsl`."""

    name: str
    text: str


class RecipeChecked(Struct, frozen=True):
    """What there is to say about a text."""

    usable: bool
    problems: tuple[RecipeProblem, ...]


class RecipeDifference(Struct, frozen=True):
    """One part that is not the same."""

    kind: str
    key: str
    before: str
    after: str


class RecipeDiff(Struct, frozen=True):
    """What is different between two versions."""

    differences: tuple[RecipeDifference, ...]


class Rollback(Struct, frozen=True, forbid_unknown_fields=True):
    """The number of the version to use again."""

    version: int


class KeyInfo(Struct, frozen=True):
    """One key of a provider, never the key itself. source: where it is kept. trouble: why it can't be had from there.
    caution: what is weak about that place. used_at, refused_at: last, since the daemon started. refusal: why it was refused
    then: KeyRejected, NoCredit or RateLimited. out_s: for how long others are preferred to it.
    """

    source: str
    trouble: str | None = None
    caution: str | None = None
    used_at: Annotated[datetime, Meta(tz=True)] | None = None
    refused_at: Annotated[datetime, Meta(tz=True)] | None = None
    refusal: str | None = None
    out_s: float | None = None


class Upstream(Struct, frozen=True):
    """How a provider stands. state: `ready`; `limited`: it wants some models not asked for now; `down`: it failed too often
    in a row; `trying`: one request finds out whether it is back; `no-credit`; `offline`: no network leads there. back_in_s:
    when it is asked again, where that is known. failures: in a row. limited: the models that rest by themselves. running,
    waiting: requests that are there, and that wait here since `concurrent` are.
    """

    provider: str
    state: Literal["ready", "limited", "down", "trying", "no-credit", "offline"] = "ready"
    back_in_s: float | None = None
    failures: int = 0
    limited: tuple[str, ...] = ()
    running: int = 0
    waiting: int = 0
    concurrent: int = 0


class ProviderInfo(Struct, frozen=True):
    """Somebody who answers over HTTP, as the settings have them; never the key. key: where that is kept. trouble: why no key
    of theirs can be had. caution: what is weak about such a place. running: whether the daemon asks them as they stand here,
    which is so from its next start on. removed: they are in the settings no longer, and are asked until then. keys: all of
    them in their order, the first of which is `key`. day_usd: what may be spent there a day; None: nobody said. upstream:
    how they stand; None: the daemon doesn't ask them yet.
    """

    name: str
    base_url: str
    wire: str
    place: str
    models: tuple[str, ...]
    key: str
    trouble: str | None = None
    caution: str | None = None
    running: bool = True
    removed: bool = False
    keys: tuple[KeyInfo, ...] = ()
    day_usd: float | None = None
    upstream: Upstream | None = None


class Providers(Struct, frozen=True):
    """All providers."""

    providers: tuple[ProviderInfo, ...]


class KnownVendor(Struct, frozen=True):
    """A provider that is known by name. base_url: its address, or what one looks like where each has its own
    (needs_address). needs_key: servers for models on this machine need none. place: where it runs. tested: it was asked
    itself, and isn't known from its documentation alone.
    """

    name: str
    base_url: str
    needs_key: bool
    wire: str = "openai-chat"
    place: str = "cloud"
    tested: bool = False
    needs_address: bool = False


class NewProvider(Struct, frozen=True, forbid_unknown_fields=True):
    """A provider to add. base_url: None of known vendors. wire, key, place: None: as it is usual for such an address.
    models: none: all that it has. key: where it is kept, never the key itself.
    """

    name: str
    base_url: str | None = None
    wire: str | None = None
    models: tuple[str, ...] = ()
    key: str | None = None
    place: Literal["device", "lan", "cloud"] | None = None


class AddedProvider(Struct, frozen=True):
    """As it stands in the settings now. notes, warnings: what to know of it, in words."""

    provider: ProviderInfo
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


class NewKey(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A key for the keyring. It goes one way only: no shape has it on the way back. label: which of several it is; None: the
    first. day_usd: what may be spent at its provider a day; None: as much as it takes; left out: as it is.
    """

    key: str
    label: str | None = None
    day_usd: Annotated[float, Meta(ge=0)] | UnsetType | None = UNSET

    def __repr__(self) -> str:
        return "NewKey()"


class Tested(Struct, frozen=True):
    """A provider that was asked for its models. missing: those that the settings name and it doesn't."""

    provider: str
    took_ms: float
    models: tuple[str, ...]
    missing: tuple[str, ...]


class Connectable(Struct, frozen=True):
    """A program that `nearloop connect NAME` has ask Nearloop. url: where it was told to, token: as which client; None: it
    isn't connected.
    """

    name: str
    title: str
    url: str | None = None
    token: str | None = None


class FileChange(Struct, frozen=True):
    """A file of another program's, before and after. made: there is none yet. diff: to show, without tokens."""

    path: str
    made: bool
    diff: tuple[str, ...]


class ConnectPlan(Struct, frozen=True):
    """What connecting a program comes to. url: where it would ask. token: the name of its token; makes_token: whether one
    has to be made. steps: what only the user can do. notes: what to know before. digest: of all that, for doing just this.
    """

    name: str
    title: str
    url: str
    token: str
    makes_token: bool
    files: tuple[FileChange, ...]
    steps: tuple[str, ...]
    notes: tuple[str, ...]
    digest: str


class NewConnection(Struct, frozen=True, forbid_unknown_fields=True):
    """Connect a program. digest: of the plan that its user said yes to."""

    digest: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class ConnectDone(Struct, frozen=True):
    """A program that was connected. files: that were changed or made. steps: what only the user can do, with the token where
    it has to be typed: it is not told again. notes: what to know afterwards.
    """

    name: str
    title: str
    files: tuple[str, ...]
    steps: tuple[str, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


class ConnectUndone(Struct, frozen=True):
    """A program that is connected no longer. restored: files that are as they were. gone: that were made for it."""

    name: str
    restored: tuple[str, ...]
    gone: tuple[str, ...]


class Diagnosis(Struct, frozen=True):
    """What one check of the doctor's saw. remedy: what to do, empty if all is well."""

    check: str
    severity: Literal["ok", "info", "warning", "error"]
    text: str
    remedy: str = ""


class LogLine(Struct, frozen=True):
    """A line of the daemon's own log, without anybody's words. number: from 1, since the daemon started."""

    number: int
    at: datetime
    level: str
    logger: str
    text: str


class Log(Struct, frozen=True):
    """The last lines, the oldest first. dropped: how many there were before. file: where a detached daemon writes them."""

    lines: tuple[LogLine, ...]
    dropped: int
    file: str


MOST_PER_DAY: Final = 10**15 - 1
"""What a limit may be at most, of whatever: more can't be told from none, and readers of TOML and JSON hold no more."""
MOST_USD_PER_DAY: Final = 1e9


class PerDay(Struct, frozen=True, forbid_unknown_fields=True):
    """What a client may take from one midnight of this machine's to the next; None: as much as it likes. tokens: read and
    written, of all models. cost_usd: by the prices that are known; who has none is not asked then.
    """

    requests: Annotated[int, Meta(ge=1, le=MOST_PER_DAY)] | None = None
    tokens: Annotated[int, Meta(ge=1, le=MOST_PER_DAY)] | None = None
    cost_usd: Annotated[float, Meta(gt=0, le=MOST_USD_PER_DAY)] | None = None


class Taken(Struct, frozen=True):
    """What a client took since midnight. unpriced: calls whose price nobody knows."""

    requests: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0


class ClientInfo(Struct, frozen=True):
    """A program with a token; never the token. per_day: what it may take, today: what it took."""

    name: str
    scopes: tuple[str, ...]
    per_day: PerDay = PerDay()
    today: Taken = Taken()


class Clients(Struct, frozen=True):
    """All clients."""

    clients: tuple[ClientInfo, ...]


class NewClient(Struct, frozen=True, forbid_unknown_fields=True):
    """A client to add. scopes None: the usual ones."""

    name: str
    scopes: tuple[str, ...] | None = None


class NewToken(Struct, frozen=True):
    """A token, shown this once."""

    name: str
    token: str
    scopes: tuple[str, ...]


class Sums(Struct, frozen=True):
    """Of some calls. name: of what they have in common; empty if it is nobody's. cost_usd: of `priced` calls, `told` of
    which by their providers; `plan` calls are a subscription's, and of `unpriced` ones nobody knows the price: neither costs
    nothing. free: on machines of the user's. reckoned: calls that ended before anybody told what they took, whose tokens and
    cost are an estimate. lost, lost_usd: hedges and repetitions that were for nothing. prompt_tokens: with cached and stored
    ones. answers: from this machine, in local_s; aside_s: what else ran here, as drafts that somebody else answered after.
    joules: of the whole machine during `measured` of the answers. saved_usd: an estimate of what `compared` of them would
    have cost in the cloud, by the same tokens.
    """

    name: str
    calls: int = 0
    cost_usd: float = 0.0
    priced: int = 0
    told: int = 0
    plan: int = 0
    unpriced: int = 0
    free: int = 0
    reckoned: int = 0
    lost: int = 0
    lost_usd: float = 0.0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    stored_tokens: int = 0
    completion_tokens: int = 0
    answers: int = 0
    local_s: float = 0.0
    aside_s: float = 0.0
    joules: float = 0.0
    measured: int = 0
    saved_usd: float = 0.0
    compared: int = 0


class SpendingLimit(Struct, frozen=True):
    """One limit, and how it stands. scope: all, provider, project or client. name: of whom; empty for all. period: day or
    month, which ends at `until`. spent_usd: with what is kept for calls that still run. warn_at: from which share on the
    user is told.
    """

    scope: Literal["all", "provider", "project", "client"]
    name: str
    period: Literal["day", "month"]
    limit_usd: float
    spent_usd: float
    until: datetime
    warn_at: float
    near: bool
    reached: bool


class SpendingReport(Struct, frozen=True):
    """What was spent since a day's midnight, whole and by one thing; and how limits stand now. today_usd, month_usd: what
    was spent in clouds, with what is kept for calls that still run.
    """

    by: Literal["client", "project", "provider", "model", "session", "day"]
    since: str
    whole: Sums
    rows: tuple[Sums, ...]
    limits: tuple[SpendingLimit, ...]
    today_usd: float
    month_usd: float


class NewLimit(Struct, frozen=True, forbid_unknown_fields=True):
    """What may be spent from now on. scope all has no name. None: nothing is said."""

    scope: Literal["all", "provider", "project", "client"]
    name: str = ""
    day_usd: float | None = None
    month_usd: float | None = None
    warn_at: float | None = None


class Error(Struct, frozen=True):
    """The control API's refusal."""

    error: str
    code: str
