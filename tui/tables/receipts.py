"""Receipts as rows, all that is known of one, how their chain stands, and what they prove."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from daemon import wire
from tui.panels.writing import fact, said, wrapped
from tui.tones import Tone, Toned
from tui.words import clock, counted, day, money, size

OUTCOMES: Final[dict[str | None, Toned]] = {
    "answered": Toned("✓ answered", "good"),
    "silent": Toned("✗ no answer began", "bad"),
    "cut": Toned("✗ not read to its end", "warn"),
    "unsent": Toned("⊘ nothing was sent", "muted"),
    None: Toned("… its end isn't known", "muted"),
}
_PLACES: Final = {
    "device": Toned("⌂ this machine", "good"),
    "lan": Toned("◇ network", "warn"),
    "cloud": Toned("☁ cloud", "warn"),
}
_VERDICTS: Final[dict[str, tuple[str, Tone]]] = {
    "nothing-left": ("✓ nothing left this machine through Nearloop since", "good"),
    "left": ("↗ something left this machine through Nearloop since", "warn"),
    "not-proven": ("✗ it is not proven that nothing left since", "bad"),
}
_CROSSINGS: Final = {
    "request": ("request", "requests"),
    "models": ("question for a list of models", "questions for a list of models"),
    "download": ("download", "downloads"),
    "picture": ("picture that a request named", "pictures that requests named"),
}
_PURPOSES: Final = {
    "request": "a request",
    "models": "a question for the list of models",
    "download": "a download",
    "picture": "a picture that a request named",
}


def to(receipt: wire.Receipt) -> str:
    """Who got it: `work/big-model`."""
    return f"{receipt.provider}/{receipt.model}" if receipt.model else receipt.provider


def masked(receipt: wire.Receipt) -> Toned:
    """How many values were, or that there were no words."""
    if receipt.purpose != "request":
        return Toned("no words", "good")
    count = sum(receipt.masks.values())
    return Toned(f"◐ {count} masked", "warn") if count else Toned("○ as it was", "muted")


def row(receipt: wire.Receipt) -> tuple[Toned, ...]:
    """One crossing."""
    return (
        Toned(str(receipt.number), "muted"),
        Toned(day(receipt.at)[5:], "muted"),
        Toned(to(receipt)),
        _PLACES.get(receipt.place, Toned(receipt.place)),
        Toned(size(receipt.body_bytes), "strong"),
        masked(receipt),
        OUTCOMES[receipt.outcome],
        Toned(receipt.host, "muted"),
        Toned(receipt.record or "–", "muted"),
    )


def lines(receipt: wire.Receipt, width: int) -> list[Content]:
    """One, with all that was written down."""
    place = _PLACES.get(receipt.place, Toned(receipt.place))
    told = [
        said(Toned(f"↗ Receipt {receipt.number}", "warn"), Toned(f"  {day(receipt.at)}", "muted")),
        said(Toned(size(receipt.body_bytes), "strong"), f" to {to(receipt)}  ", place),
        said(""),
        *fact("what", f"{_PURPOSES[receipt.purpose]}, by {receipt.by}", width),
        *fact("went to", f"{receipt.host}{receipt.path}", width),
    ]
    if receipt.via:
        told += fact("through", f"the proxy {receipt.via}", width)
    told += fact("TLS", _tls(receipt), width, "plain" if receipt.tls else "warn")
    if receipt.credential:
        told += fact("key", receipt.credential, width)
    if receipt.purpose == "request":
        masks = ", ".join(f"{count} {label}" for label, count in sorted(receipt.masks.items()))
        told += fact("masked", masks or "nothing", width, "warn" if masks else "plain")
        if receipt.reduced:
            told += fact("reduced", f"by {receipt.reduced}", width)
        told += fact("rule", receipt.rule or "not told", width)
        told += fact("policy", receipt.policy or "not told", width)
        told += fact("price", _price(receipt), width)
    back = f"HTTP {receipt.status}, {size(receipt.answer_bytes or 0)}" if receipt.status is not None else ""
    told += [said(Toned("back      ", "muted"), OUTCOMES[receipt.outcome], f"  {back}")]
    if receipt.record:
        told += fact("record", receipt.record, width, "muted")
    return [*told, *fact("SHA-256", receipt.sha256, width, "muted")]


def _tls(receipt: wire.Receipt) -> str:
    if receipt.tls is None:
        return "none, it went in clear"
    tls = receipt.tls
    name = " ".join(filter(None, (tls.issuer, tls.issuer_name and f"({tls.issuer_name})"))) or "somebody not told"
    return f"{tls.version}, signed by {name}, {tls.root} root"


def _price(receipt: wire.Receipt) -> str:
    if receipt.cost_usd is None:
        return "not known"
    by = {"recipe": ", by the recipe", "list": f", by its maker's list of {receipt.prices_as_of}", None: ""}
    return f"{money(receipt.cost_usd)}{by[receipt.priced_by]}"


def chain(found: wire.ReceiptChain) -> Content:
    """In one line."""
    if not found.links and found.whole:
        return said(Toned("the chain is empty: nothing has left yet", "muted"))
    if not found.whole:
        return said(Toned(f"✗ THE CHAIN IS BROKEN in {counted(len(found.problems), 'place')}", "bad"))
    span = f", {clock(found.begins)} to {clock(found.ends)}" if found.begins and found.ends else ""
    if found.begins and found.ends and day(found.begins)[:10] != day(found.ends)[:10]:
        span = f", {day(found.begins)} to {day(found.ends)}"
    return said(Toned("✓ the chain is whole", "good"), f": {counted(found.links, 'link')}{span}")


def chain_lines(found: wire.ReceiptChain, width: int) -> list[Content]:
    """With each problem, remarks, and the head to be noted elsewhere."""
    told = [chain(found), said("")]
    for each in found.problems:
        told += wrapped(f"✗ {each.text} ({each.file}, line {each.line})", width, tone="bad")
    for remark in found.remarks:
        told += wrapped(f"note: {remark}", width)
    if found.head:
        told += fact("head", found.head, width)
        about = (
            "Note it elsewhere: `nearloop receipts verify --head SHA256` tells later whether it is still in the chain."
        )
        told += [said(""), *wrapped(about, width)]
    return told


def verdict(found: wire.LocalProof) -> Content:
    """In one line."""
    words, tone = _VERDICTS[found.verdict]
    return said(Toned(f"{words} {day(found.since)}", tone))


def proof_lines(found: wire.LocalProof, width: int) -> list[Content]:
    """With what left, what the evidence is, and what it doesn't cover."""
    words, tone = _VERDICTS[found.verdict]
    told = [*wrapped(f"{words} {day(found.since)}", width, tone=tone), said("")]
    for each in found.left:
        told += wrapped(_counted(each), width, tone="warn")
    for gap in found.gaps:
        told += wrapped(f"gap: {gap}", width, tone="bad")
    for each in found.near:
        told += wrapped(f"{_counted(each)}, which counts as staying here", width, tone="good")
    chain = found.chain
    if chain.first is not None:
        state = "an unbroken chain" if chain.whole else "a BROKEN chain"
        told += fact("evidence", f"receipts {chain.first} to {chain.last}, {state}", width)
    told += fact("runs", f"the daemon ran {counted(len(found.runs), 'time')} in it", width)
    if found.records_agree:
        told += fact("records", f"{counted(found.records_agree, 'receipt')} in them as well, and they agree", width)
    told += [said(""), said(Toned("It does not cover", "strong"))]
    for leaves in found.leaves_out:
        told += wrapped(f"- {leaves}", width)
    return told


def _counted(each: wire.LeftFor) -> str:
    what = counted(each.crossings, *_CROSSINGS[each.purpose])
    return f"{what} to {each.provider} at {each.host} ({each.place}), {size(each.body_bytes)}"
