"""Which models have to go so that another one fits: pure reckoning, without doing any of it."""

from __future__ import annotations

from msgspec import Struct

from daemon.errors import DoesNotFit
from daemon.machine_memory import Memory

SOON_S = 5.0
"""What a client is told to wait where the room is only taken by a model that is answering just now."""


class Tenant(Struct, frozen=True):
    """A model that has a process. reserved_bytes: what it may come to; resident_bytes: what it has now."""

    name: str
    reserved_bytes: int
    resident_bytes: int
    pinned: bool
    busy: bool
    last_used: float

    @property
    def counted_bytes(self) -> int:
        """What it takes of the models' share."""
        return max(self.reserved_bytes, self.resident_bytes)

    @property
    def movable(self) -> bool:
        """Whether it may be unloaded for another's sake."""
        return not (self.pinned or self.busy)


def free_bytes(tenants: tuple[Tenant, ...], memory: Memory, share: float) -> int:
    """What one more model may take: of the models' share of the machine, and of what is really there.

    What a model has not touched yet of its reserve is counted as taken.
    """
    untouched = sum(tenant.counted_bytes - tenant.resident_bytes for tenant in tenants)
    of_share = int(memory.total_bytes * share) - sum(tenant.counted_bytes for tenant in tenants)
    return min(of_share, memory.available_bytes - untouched)


def make_room(
    name: str, needed_bytes: int, tenants: tuple[Tenant, ...], memory: Memory, share: float
) -> tuple[str, ...]:
    """The names of those who must go, longest unused first; none, if it fits as it is. Raises DoesNotFit."""
    if needed_bytes <= free_bytes(tenants, memory, share):
        return ()
    going: list[Tenant] = []
    for tenant in sorted(filter(lambda tenant: tenant.movable, tenants), key=lambda tenant: tenant.last_used):
        going.append(tenant)
        if needed_bytes <= _free_without(tuple(going), tenants, memory, share):
            return tuple(gone.name for gone in going)
    raise _refusal(name, needed_bytes, tenants, memory, share)


def _free_without(going: tuple[Tenant, ...], tenants: tuple[Tenant, ...], memory: Memory, share: float) -> int:
    stay = tuple(tenant for tenant in tenants if tenant not in going)
    given_back = sum(tenant.resident_bytes for tenant in going)
    return free_bytes(stay, Memory(memory.total_bytes, memory.available_bytes + given_back), share)


def _refusal(name: str, needed: int, tenants: tuple[Tenant, ...], memory: Memory, share: float) -> DoesNotFit:
    """Why not, and what would help."""
    movable = tuple(tenant for tenant in tenants if tenant.movable)
    could_be = max(0, _free_without(movable, tenants, memory, share))
    text = f"{name} needs about {gigabytes(needed)} of memory, and at most {gigabytes(could_be)} can be made free"
    busy = [tenant for tenant in tenants if tenant.busy and not tenant.pinned]
    if busy and needed <= _free_without((*movable, *busy), tenants, memory, share):
        names = ", ".join(tenant.name for tenant in busy)
        return DoesNotFit(f"{text} while {names} is answering: ask again in a moment", SOON_S)
    advice = ["close programs"] if memory.available_bytes < memory.total_bytes * share else []
    if pinned := [tenant.name for tenant in tenants if tenant.pinned]:
        advice.append(f"unload {', '.join(pinned)}, which is pinned")
    if needed <= memory.total_bytes:
        advice.append(f"raise memory_share under [pool] in settings.toml (now {share:g})")
    advice.append("take a smaller model or edition")
    return DoesNotFit(f"{text}: {', or '.join(advice)}")


def gigabytes(size_bytes: int) -> str:
    """For people: `0.8 GB`."""
    return f"{size_bytes / 1e9:.1f} GB"
