"""Who has to go so that a model fits, and what is said when nobody can."""

from __future__ import annotations

import pytest

from daemon.errors import DoesNotFit
from daemon.machine_memory import Memory
from daemon.room import SOON_S, Tenant, free_bytes, make_room

GB = 10**9


def tenant(name: str, reserved: float, resident: float | None = None, at: float = 0.0, **more: bool) -> Tenant:
    """Sizes in GB; resident: as much as reserved, unless told."""
    held = reserved if resident is None else resident
    state = {"pinned": False, "busy": False, **more}
    return Tenant(f"local/{name}", int(reserved * GB), int(held * GB), last_used=at, **state)


def memory(total: float, available: float) -> Memory:
    return Memory(int(total * GB), int(available * GB))


def who(needed: float, *tenants: Tenant, total: float = 16, available: float = 16, share: float = 1.0) -> list[str]:
    """The names that have to go."""
    going = make_room("local/new", int(needed * GB), tenants, memory(total, available), share)
    return [name.removeprefix("local/") for name in going]


def test_what_fits_disturbs_nobody() -> None:
    """With room enough, nobody has to go."""
    assert who(4, tenant("a", 5), available=6) == []


def test_the_longest_unused_goes_first_and_no_more_than_needed() -> None:
    """Models go in the order of their last use until there is room, and not one more."""
    tenants = tenant("a", 3, at=20), tenant("b", 3, at=10), tenant("c", 3, at=30)

    assert who(4, *tenants, available=2) == ["b"]
    assert who(7, *tenants, available=2) == ["b", "a"]


def test_the_models_share_is_a_limit_of_its_own() -> None:
    """With the machine all free, the share that models may have together still counts."""
    assert who(5, tenant("a", 4), total=16, available=12, share=0.5) == ["a"]
    assert who(4, tenant("a", 4), total=16, available=12, share=0.5) == []


def test_what_was_promised_and_not_touched_yet_is_not_free() -> None:
    """A model that has taken 1 of its 6 GB will take the rest: that much of what is free is spoken for."""
    held = tenant("a", 6, resident=1)

    assert free_bytes((held,), memory(16, 8), 1.0) == 3 * GB
    assert who(4, held, available=8) == ["a"]


@pytest.mark.parametrize("state", ["busy", "pinned"])
def test_neither_who_answers_nor_who_is_pinned_goes(state: str) -> None:
    """A busy or pinned model stays, however long ago it was used, and another one goes in its place."""
    tenants = tenant("a", 3, at=10, **{state: True}), tenant("b", 3, at=20)

    assert who(4, *tenants, available=2) == ["b"]
    with pytest.raises(DoesNotFit):
        who(6, *tenants, available=2)


def test_a_busy_model_is_waited_for() -> None:
    """Where only a model that is answering stands in the way, it is named, and asking again soon is the advice."""
    with pytest.raises(DoesNotFit, match=r"local/a is answering: ask again") as caught:
        who(4, tenant("a", 3, busy=True), available=2)

    assert caught.value.retry_after_s == SOON_S


def test_what_never_fits_says_what_would_help() -> None:
    """The refusal has both numbers, names who is pinned, the setting that limits, and the way out."""
    with pytest.raises(DoesNotFit) as caught:
        who(9, tenant("a", 3, pinned=True), tenant("b", 2), total=16, available=4, share=0.6)

    told = str(caught.value)
    assert "local/new needs about 9.0 GB of memory, and at most 6.0 GB can be made free" in told
    assert "unload local/a, which is pinned" in told
    assert "memory_share under [pool] in settings.toml (now 0.6)" in told
    assert "close programs" in told
    assert "smaller model" in told
    assert caught.value.retry_after_s is None


def test_more_than_the_machine_has_is_no_matter_of_settings() -> None:
    """A model larger than the machine is not blamed on the share, nor on other programs."""
    with pytest.raises(DoesNotFit) as caught:
        who(40, total=16, available=16)

    assert "memory_share" not in str(caught.value)
    assert "close programs" not in str(caught.value)
