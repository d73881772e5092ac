"""Which rule a request falls under: today by its model name alone."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from daemon.errors import Refused, UnknownModel
from providers.contract import Request

LOCAL: Final = "local"
AUTO: Final = "auto"
CLOUD: Final = "cloud"
RESERVED: Final = (AUTO, LOCAL, CLOUD, "nearloop", "vllm-sr")


class Candidate(Struct, frozen=True):
    """Somebody who may answer. provider `local` is this machine."""

    provider: str
    model: str

    @property
    def name(self) -> str:
        """As clients write it."""
        return f"{self.provider}/{self.model}"


class Decision(Struct, frozen=True):
    """Who may answer, in order, and the looper that asks them."""

    rule: str
    looper: str
    candidates: tuple[Candidate, ...]


def decide(request: Request, local: tuple[str, ...], may_cloud: bool) -> Decision:
    """Choose for a request. local: names of this machine's models, the default first.

    Raises UnknownModel with the names there are, Refused if the caller may not have what it asks for.
    """
    name = request.model
    if name in (AUTO, LOCAL):
        return Decision(f"model-{name}", "single", (Candidate(LOCAL, local[0]),))
    provider, slash, model = name.partition("/")
    if provider == LOCAL and model in local:
        return Decision("model-named", "single", (Candidate(LOCAL, model),))
    if name == CLOUD and not may_cloud:
        raise Refused(
            "a client without a token is answered on this machine only: make one with `nearloop client add NAME` and "
            "use it as the API key, or ask for the model `local`"
        )
    known = ", ".join((AUTO, LOCAL, *(f"{LOCAL}/{model}" for model in local)))
    if name == CLOUD or (slash and provider != LOCAL):
        raise UnknownModel(f"no cloud provider is set up. Models here: {known}")
    raise UnknownModel(f"no model has this name. Models here: {known}")
