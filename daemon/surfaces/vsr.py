"""What upstream's clients read of a routed answer: its response headers, schema 2."""

from __future__ import annotations

from typing import Final

from daemon.decision.rules import Route
from daemon.pipeline import Visit
from daemon.recipes.projections import PROJECTION
from daemon.recipes.vocabulary import FAMILIES

SCHEMA: Final = b"2"
_PATHS: Final = {"single": b"upstream", "fast_response": b"fast_response"}
"""By looper; every other one is a looper to upstream too."""
ASKING_SEVERAL: Final = frozenset({"ratings", "remom", "fusion", "workflows"})


_PLURAL: Final = frozenset({"keyword", "embedding", "domain", "projection"})
MATCHED: Final = {
    family: f"x-vsr-matched-{family.replace('_', '-')}{'s' if family in _PLURAL else ''}".encode()
    for family in (*FAMILIES, PROJECTION)
}
"""The debug set, by family of signals."""


def headers(visit: Visit) -> list[tuple[bytes, bytes]]:
    """The default set; none if no recipe was asked. Names that headers can't hold are percent-encoded."""
    route, looper = visit.route, visit.looper
    if route is None or looper is None:
        return []
    said = [
        (b"x-vsr-schema-version", SCHEMA),
        (b"x-vsr-response-path", _PATHS.get(looper, b"looper")),
        (b"x-vsr-selected-recipe", _plain(route.recipe)),
        (b"x-vsr-selected-algorithm", _plain(route.algorithm)),
        (b"x-vsr-replay-id", visit.request.id.encode()),
    ]
    if route.decision is not None:
        said.append((b"x-vsr-selected-decision", _plain(route.decision)))
    if route.confidence is not None:
        said.append((b"x-vsr-selected-confidence", f"{route.confidence:.4f}".encode()))
    if looper == "fast_response":
        said.append((b"x-vsr-fast-response", b"true"))
    elif visit.egress != "pending":
        said.append((b"x-vsr-selected-model", _plain(visit.answered_by)))
        if looper in ASKING_SEVERAL:
            said += _of_looper(visit, looper)
    return said + _debug(visit, route) if visit.debug else said


def _of_looper(visit: Visit, looper: str) -> list[tuple[bytes, bytes]]:
    """What was known when the answer began; all of it, if the answer is whole."""
    ledger = visit.ledger
    return [
        (b"x-vsr-looper-algorithm", looper.encode()),
        (b"x-vsr-looper-model", _plain(visit.answered_by)),
        (b"x-vsr-looper-models-used", _plain(",".join(visit.asked_by_looper))),
        (b"x-vsr-looper-iterations", str(ledger.calls).encode()),
        (b"x-vsr-looper-latency-ms", str(round(visit.took_ms)).encode()),
        (b"x-vsr-looper-prompt-tokens", str(ledger.prompt_tokens).encode()),
        (b"x-vsr-looper-completion-tokens", str(ledger.completion_tokens).encode()),
        (b"x-vsr-looper-total-tokens", str(ledger.prompt_tokens + ledger.completion_tokens).encode()),
    ]


def _debug(visit: Visit, route: Route) -> list[tuple[bytes, bytes]]:
    """The debug set."""
    said = [(MATCHED[family], _plain(",".join(rules))) for family, rules in visit.matched.items()]
    said.append((b"x-vsr-context-token-count", str(round(visit.prompt_tokens())).encode()))
    if domains := visit.matched.get("domain"):
        said.append((b"x-vsr-selected-category", _plain(domains[0])))
    if modalities := visit.matched.get("modality"):
        said.append((b"x-vsr-selected-modality", _plain(modalities[0])))
    thinks = visit.decision.candidates[0].thinks if visit.decision and visit.decision.candidates else None
    if thinks is not None:
        said.append((b"x-vsr-selected-reasoning", b"on" if thinks else b"off"))
    if "system_prompt" in route.plugins:
        said.append((b"x-vsr-injected-system-prompt", b"true"))
    return said


def _plain(name: str) -> bytes:
    """ASCII as it is, for names are mostly that; other bytes as percent and two digits, and the percent sign too."""
    raw = name.encode("utf-8", "surrogatepass")
    return b"".join(bytes((byte,)) if 0x20 <= byte < 0x7F and byte != 0x25 else b"%%%02X" % byte for byte in raw)
