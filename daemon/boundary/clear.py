"""clear: the only maker of Cleared.

Texts are masked by place and by value (`masking.py`), pictures were painted before (`painting.py`), and here it is seen
that both happened: a picture that this machine looked at leaves only as a painter made it anew, with every place painted
over that has to be masked now. Last, the result is read once more. If a value that had to be masked still stands in it, even
where nothing can be replaced, or if turning the aliases back would not give the very text that was there, it does not leave.
What was seen in pictures stays here.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from msgspec import Struct

from daemon.boundary.aliases.base import Alias
from daemon.boundary.judge import Clearance
from daemon.boundary.masking import Masking, Replaced
from daemon.boundary.painted import NOTHING, Painted
from daemon.boundary.pictures import without_sights
from daemon.boundary.vault import Vault
from daemon.errors import Refused
from providers.cleared import _SEAL, Cleared, Place
from providers.contract import Request
from providers.texts import rewritten

TRIALS: Final = 3
"""Sets of aliases, of which one has to be such that they can be turned back. The first one is, but by rare chance."""


class Passage(Struct, frozen=True):
    """A cleared request, and what turns its aliases back, which stays here. secrets: classes that open something. replaced:
    where they stand.
    """

    cleared: Cleared
    aliases: tuple[Alias, ...]
    secrets: frozenset[str] = frozenset()
    replaced: tuple[Replaced, ...] = ()


def clear(
    request: Request,
    clearance: Clearance,
    place: Place,
    vault: Vault,
    provider: str = "",
    painted: Painted = NOTHING,
) -> Passage:
    """Let a request through to a place, masked if it has to be. provider: who is there; what it signed goes back to it as it
    was, and to nobody else. painted: the pictures of it. Raises Refused if it may not go there.
    """
    if place is not Place.DEVICE and (clearance.reach == "device" or clearance.asks):
        raise Refused("this request may not leave this machine")
    if place is Place.DEVICE:
        whole = vault.signed.given_back(request, request, provider)
        return Passage(Cleared(_SEAL, without_sights(whole), place, {}, request.id), ())
    if clearance.reach == "open":
        whole = vault.signed.given_back(request, painted.put_into(request), provider)
        return Passage(Cleared(_SEAL, without_sights(whole), place, {}, request.id), ())
    for trial in range(TRIALS):
        masking = Masking(vault.masker(request, trial), request, clearance)
        masked = rewritten(painted.put_into(request, masking), masking.masked)
        masking.check(masked)
        if masking.can_be_turned_back(request, masked):
            signed = without_sights(vault.signed.given_back(request, masked, provider))
            over = painted.replaced(request)
            counts = masking.counts + Counter(each.alias.label for each in over)
            cleared = Cleared(_SEAL, signed, place, counts, request.id)
            return Passage(cleared, masking.masker.aliases, clearance.secrets, (*masking.replaced, *over))
    raise Refused("a text can't be masked so that it could be turned back: the request stays here")
