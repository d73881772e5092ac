"""The local models together: which there are, and what they may take of this machine."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from daemon import local_model, pool, worker_process
from daemon.errors import Busy, DoesNotFit, NoCandidate, UnknownModel
from daemon.local_model import Terms
from daemon.machine_memory import Memory
from daemon.pool import Rules, local_models, rules_of
from daemon.rate_store import RateStore
from daemon.settings import parse
from daemon.worker_process import WorkerLost
from edge_models.catalog import CATALOG, ModelRef
from providers.contract import Unreachable
from tests.fakes.clock import HeldClock
from tests.fakes.machine import Machine as Devised
from tests.fakes.pools import (
    FREE,
    GB,
    PLAY,
    WAIT_S,
    Housed,
    Kept,
    Machine,
    ask,
    housed,
    idle_model,
    is_gone,
    kept,
    options,
    until,
)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a back-off."""
    monkeypatch.setattr(local_model, "BACK_OFF_S", (0.0, 0.01))
    monkeypatch.setattr(local_model, "RETRY_FAILED_S", 0.05)


# ---- which there are ------------------------------------------------------------------------------------------------


def test_the_users_own_models_come_first() -> None:
    """The first model of the settings is what `local` means; what is known by name stands behind them."""
    settings = parse('[models.b]\npath = "/b.gguf"\n[models.a]\npath = "parallel=1"\nengine = "scripted"')

    refs = local_models(settings)

    assert refs[:2] == (ModelRef("b", "openvino-genai", "/b.gguf"), ModelRef("a", "scripted", "parallel=1"))
    assert [ref.name for ref in refs[2:]] == [entry.name for entry in CATALOG]
    assert all(ref.path is None for ref in refs[2:])


def test_without_settings_the_demonstration_is_local() -> None:
    """A fresh installation answers with the embedded model."""
    assert [ref.name for ref in local_models(parse(""))] == [entry.name for entry in CATALOG]


def test_an_own_model_takes_the_place_of_a_known_name() -> None:
    """A model of the user's that is called like a known one stands for it, and is not called a demonstration."""
    name = CATALOG[0].name
    refs = local_models(parse(f'[models.{name}]\npath = "/mine.gguf"'))

    assert [ref.path for ref in refs if ref.name == name] == ["/mine.gguf"]
    assert not idle_model(refs[0]).info().demonstration
    assert idle_model(ModelRef(name, CATALOG[0].engine)).info().demonstration


def test_a_path_may_begin_at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` in a model's path is the user's home, as everywhere else."""
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))

    assert local_models(parse('[models.a]\npath = "~/a.gguf"'))[0].path == str(home / "a.gguf")


def test_a_scripted_model_without_options() -> None:
    """An engine's empty path stays empty."""
    assert local_models(parse('[models.a]\npath = ""\nengine = "scripted"'))[0].path == ""


def test_an_unknown_name_lists_the_known(tmp_path: Path, clock: HeldClock) -> None:
    """A model that is not there is refused with the names that are, and without the name that was asked for."""
    made = Kept(tmp_path, clock, (PLAY, ModelRef("second", "scripted")))

    with pytest.raises(UnknownModel, match="there are: play, second") as caught:
        made.pool.find("canary")

    assert "canary" not in str(caught.value)
    assert made.pool.names() == ("play", "second")


# ---- other models while it runs -------------------------------------------------------------------------------------


async def test_models_come_and_go_while_it_runs(tmp_path: Path, clock: HeldClock) -> None:
    """A new model answers without a restart, one that stays keeps its process, and one that goes ends its own."""
    async with kept(tmp_path, clock, PLAY) as made:
        first = made.model
        assert await ask(first) == "one two"
        pid = first.info().worker_pid

        made.pool.replace((ModelRef("new", "scripted"), PLAY), FREE)

        assert made.pool.names() == ("new", "play")
        assert await ask(made.pool.find("new"), "hello") == "hello"
        assert made.pool.find("play").info().worker_pid == pid
        made.pool.replace((ModelRef("new", "scripted"),), FREE)
        await until(lambda: first.worker is None)
        with pytest.raises(UnknownModel):
            made.pool.find("play")
        with pytest.raises(NoCandidate, match="taken out"):
            await ask(first)


async def test_a_removed_model_ends_its_answers(tmp_path: Path, clock: HeldClock) -> None:
    """Who is being answered, and who stands in line, is told that the model was taken out."""
    async with kept(tmp_path, clock, options("parallel=1")) as made:
        model = made.model
        answered = asyncio.create_task(ask(model, "[[tokens=5]] [[hang=2]]"))
        await until(lambda: model.queue.running == 1)
        waiting = asyncio.create_task(ask(model))
        await until(lambda: model.queue.waiting == 1)

        made.pool.replace((ModelRef("other", "scripted"),), FREE)

        for task in (answered, waiting):
            with pytest.raises((NoCandidate, Unreachable), match="taken out"):
                await task


async def test_another_file_under_the_same_name_is_loaded(tmp_path: Path, clock: HeldClock) -> None:
    """A name that now stands for something else gets a process of its own."""
    async with kept(tmp_path, clock, PLAY) as made:
        before = made.model

        made.pool.replace((options("parallel=1"),), FREE)

        assert made.model is not before
        await until(lambda: made.model.info().state == "ready")


# ---- memory ---------------------------------------------------------------------------------------------------------
async def test_an_idle_model_is_unloaded_and_comes_back_when_asked(tmp_path: Path, clock: HeldClock) -> None:
    """After its time without a request a model's process is gone, and the next request loads it again."""
    async with housed(tmp_path, clock) as house:
        pid = house.pool.find("a").pid
        assert pid
        clock.advance(599)
        await house.pool.tidy()
        assert house.state("a") == "ready"

        clock.advance(2)
        await house.pool.tidy()

        assert house.state("a") == "cold"
        assert house.unloaded == ["local/a idle"]
        assert is_gone(pid)
        assert await ask(house.pool.find("a")) == "one two"
        assert house.pool.find("a").restarts == 0


async def test_a_request_begins_the_time_anew(tmp_path: Path, clock: HeldClock) -> None:
    """A model's idle time counts from the end of its last answer."""
    async with housed(tmp_path, clock) as house:
        clock.advance(590)
        await ask(house.pool.find("a"))
        clock.advance(590)
        await house.pool.tidy()

        assert house.state("a") == "ready"


async def test_a_client_may_have_it_kept_shorter_and_never_longer(tmp_path: Path, clock: HeldClock) -> None:
    """What the last one who used a model wants counts while it is less than the user has, and pinned stays pinned."""
    async with housed(tmp_path, clock, b=Terms(10, None)) as house:
        await ask(house.pool.find("b"))
        a, b = house.pool.find("a"), house.pool.find("b")
        for wanted, kept_s in ((None, 600.0), (float("inf"), 600.0), (60.0, 60.0)):
            a.asked_keep_s = b.asked_keep_s = wanted
            assert (a.keep_s, a.info().keep_s, b.keep_s) == (kept_s, kept_s, None)

        clock.advance(61)
        await house.pool.tidy()

        assert (house.state("a"), house.state("b")) == ("cold", "ready")


async def test_who_answers_and_who_is_pinned_is_never_idle(tmp_path: Path, clock: HeldClock) -> None:
    """However long an answer takes its model stays, and a pinned one stays without any."""
    async with housed(tmp_path, clock, b=Terms(10, None)) as house:
        await ask(house.pool.find("b"))
        answering = asyncio.create_task(ask(house.pool.find("a"), "[[hang=0]]"))
        await until(lambda: house.pool.find("a").queue.running == 1)
        clock.advance(100_000)
        await house.pool.tidy()

        assert (house.state("a"), house.state("b")) == ("ready", "ready")
        with pytest.raises(Busy):
            await house.pool.unload("a")
        answering.cancel()


async def test_a_model_is_pinned_while_it_runs(tmp_path: Path, clock: HeldClock) -> None:
    """It stays whatever its time, also after other settings, until it is let go."""
    async with housed(tmp_path, clock) as house:
        assert house.pool.pin("a", True).keep_s is None
        house.pool.replace(tuple(model.ref for model in house.pool.models.values()), house.rules)
        clock.advance(100_000)
        await house.pool.tidy()
        assert house.state("a") == "ready"

        assert house.pool.pin("a", False).keep_s == 600.0
        await house.pool.tidy()
        assert house.state("a") == "cold"
        with pytest.raises(UnknownModel):
            house.pool.pin("other", True)


async def test_the_time_comes_by_itself(tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to ask for the tidying."""
    monkeypatch.setattr(pool, "TIDY_S", 0.01)
    async with housed(tmp_path, clock) as house:
        clock.advance(601)
        await until(lambda: house.state("a") == "cold")


async def test_the_longest_unused_makes_room(tmp_path: Path, clock: HeldClock) -> None:
    """When a third model does not fit beside two, the one that was used last stays and the other goes."""
    async with housed(tmp_path, clock) as house:
        await ask(house.pool.find("b"))
        clock.advance(1)
        await ask(house.pool.find("a"))

        assert await ask(house.pool.find("c")) == "one two"

        assert [house.state(name) for name in "abc"] == ["ready", "cold", "ready"]
        assert house.unloaded == ["local/b room"]


async def test_two_that_come_at_once_do_not_take_the_same_room(tmp_path: Path, clock: HeldClock) -> None:
    """Of two models that fit one beside the first, both are answered, and never are three loaded."""
    async with housed(tmp_path, clock) as house:
        answers = await asyncio.gather(ask(house.pool.find("b")), ask(house.pool.find("c")), return_exceptions=True)

        loaded = [name for name in "abc" if house.pool.find(name).room is not None]
        assert len(loaded) <= 2
        assert "one two" in answers
        refused = [answer for answer in answers if answer != "one two"]
        assert all(isinstance(answer, DoesNotFit) for answer in refused)


async def test_a_model_without_room_is_refused_in_words(tmp_path: Path, clock: HeldClock) -> None:
    """Where pinned models leave no room, who asks is told at once what would help, and nobody is unloaded."""
    pinned = Terms(10, None)
    async with housed(tmp_path, clock, a=pinned, b=pinned) as house:
        await ask(house.pool.find("b"))

        with pytest.raises(DoesNotFit, match=r"local/c .* unload local/a, local/b, which is pinned") as caught:
            await ask(house.pool.find("c"))

        assert caught.value.retry_after_s == local_model.RETRY_FAILED_S
        assert [house.state(name) for name in "abc"] == ["ready", "ready", "failed"]
        assert house.pool.find("c").info().error == str(caught.value)


async def test_room_that_was_made_serves_at_once(tmp_path: Path, clock: HeldClock) -> None:
    """Who follows the advice of a refusal is answered, and not refused again for what was so a moment ago."""
    pinned = Terms(10, None)
    async with housed(tmp_path, clock, a=pinned, b=pinned) as house:
        await ask(house.pool.find("b"))
        with pytest.raises(DoesNotFit):
            await ask(house.pool.find("c"))

        await house.pool.unload("b")

        assert await ask(house.pool.find("c")) == "one two"


async def test_who_answers_is_not_put_out(tmp_path: Path, clock: HeldClock) -> None:
    """A model that is answering stays; the newcomer is refused, and fits once the answer is over."""
    async with housed(tmp_path, clock, b=Terms(10, None)) as house:
        await ask(house.pool.find("b"))
        answering = asyncio.create_task(ask(house.pool.find("a"), "[[hang=0]]"))
        await until(lambda: house.pool.find("a").queue.running == 1)

        with pytest.raises(DoesNotFit, match="local/a is answering"):
            await ask(house.pool.find("c"))
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)
        assert await ask(house.pool.find("c")) == "one two"
        assert house.unloaded == ["local/a room"]


async def test_a_machine_short_of_memory_gets_some_back(tmp_path: Path, clock: HeldClock) -> None:
    """When other programs take the memory, idle models go one by one, the longest unused first, and no pinned one."""
    machine = Machine(20, 20)
    async with housed(tmp_path, clock, machine, c=Terms(10, None)) as house:
        for name in "abc":
            clock.advance(1)
            await ask(house.pool.find(name))
        machine.memory = Memory(20 * GB, GB // 2)

        await house.pool.tidy()
        assert house.unloaded == ["local/a memory"]
        await house.pool.tidy()
        await house.pool.tidy()

        assert [house.state(name) for name in "abc"] == ["cold", "cold", "ready"]


async def test_a_model_is_loaded_and_unloaded_by_hand(tmp_path: Path, clock: HeldClock) -> None:
    """Loading waits until it is ready, unloading until the process is gone; both are fine when there is nothing to do."""
    async with housed(tmp_path, clock) as house:
        model = house.pool.find("b")
        await house.pool.unload("b")
        await model.load(WAIT_S)
        pid = model.pid
        assert (model.state, pid is not None) == ("ready", True)
        await model.load(WAIT_S)

        await house.pool.unload("b")
        await house.pool.unload("b")

        assert (model.state, model.pid) == ("cold", None)
        assert pid
        assert is_gone(pid)


async def test_loading_by_hand_tells_what_went_wrong(tmp_path: Path, clock: HeldClock) -> None:
    """A model that can't be loaded says why to who loads it."""
    async with kept(tmp_path, clock, PLAY, ModelRef("bad", "no-such-engine")) as made:
        with pytest.raises(NoCandidate, match="no engine of that name"):
            await made.pool.find("bad").load(WAIT_S)


async def test_a_window_stays_known_while_the_model_is_not_loaded(tmp_path: Path, clock: HeldClock) -> None:
    """Clients that list models between two loadings, or two lives of a process, see the window that was measured."""
    async with kept(tmp_path, clock, options("context=99")) as made:
        await until(lambda: made.model.state == "ready")

        await made.pool.unload("play")

        assert (made.model.info().state, made.model.info().context_tokens) == ("cold", 99)


async def test_a_model_between_two_restarts_can_be_unloaded(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unloading does not wait for the pause before a restart, and the restart does not come."""
    monkeypatch.setattr(local_model, "BACK_OFF_S", (1000.0,))
    async with housed(tmp_path, clock) as house:
        with pytest.raises(WorkerLost):
            await ask(house.pool.find("a"), "[[crash=0]]")
        await until(lambda: house.state("a") == "restarting")

        await house.pool.unload("a")

        assert house.state("a") == "cold"
        assert await ask(house.pool.find("a")) == "one two"


async def test_the_cap_is_the_users_or_twice_the_estimate(tmp_path: Path, clock: HeldClock) -> None:
    """A process may have what the settings say, else twice its estimate and room, and never more than the machine."""
    async with housed(tmp_path, clock, Machine(100, 100), b=Terms(10, None, memory_cap_bytes=2 * GB)) as house:
        await ask(house.pool.find("b"))

        expected = 8 * GB + pool.CAP_ROOM_BYTES + pool.CAP_CORE_BYTES * (os.cpu_count() or 1)
        assert house.pool.find("a").info().memory_cap_bytes == expected
        assert house.pool.find("b").info().memory_cap_bytes == 2 * GB
        assert house.pool.find("a").info().estimate_bytes == 4 * GB
    assert pool._cap_bytes(4 * GB, 5 * GB) == 5 * GB
    assert pool._cap_bytes(None, 5 * GB) == 5 * GB


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's cap is tested on Linux")
async def test_a_model_over_its_cap_fails_in_words(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that takes more than its cap while it loads is refused with the number and the setting, not tried again."""
    greedy = "from edge_models.engines import scripted\nfrom edge_models import worker\n"
    greedy += "scripted.load = lambda *arguments: bytearray(3 << 30)\nworker.main()"
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", greedy])
    house = Housed(tmp_path, clock, Machine(10, 10), a=Terms(10, None, memory_cap_bytes=1 << 30))
    async with asyncio.timeout(WAIT_S), house.pool.running():
        with pytest.raises(NoCandidate, match=r"memory cap of 1024 MB: raise memory_mb"):
            await ask(house.pool.find("a"))

        assert house.pool.find("a").restarts == 0


# ---- rules ----------------------------------------------------------------------------------------------------------


def test_rules_are_read_from_the_settings() -> None:
    """`local` is kept longest, a model's own words count most, and providers' variables are kept from the processes."""
    rules = rules_of(
        parse(
            '[models.first]\npath = "/a"\n[models.second]\npath = "/b"\n[models.third]\npath = "/c"\nkeep = "pinned"\n'
            'memory_mb = 512\n[pool]\nkeep = "90s"\nmemory_share = 0.5\n'
            '[providers.work]\nbase_url = "https://x.invalid/v1"\nkey = "env:WORK"'
        )
    )

    assert [rules.of(name).keep_s for name in ("first", "second", "third", "other")] == [3600, 90, None, 90]
    assert (rules.of("third").memory_cap_bytes, rules.of("first").memory_cap_bytes) == (512 << 20, None)
    assert (rules.memory_share, rules.of("first").keys, rules.of("other").keys) == (0.5, ("WORK",), ("WORK",))


async def test_new_rules_hold_for_models_that_stay(tmp_path: Path, clock: HeldClock) -> None:
    """A time that is changed in the settings holds for a loaded model without its process being disturbed."""
    async with housed(tmp_path, clock) as house:
        pid = house.pool.find("a").pid
        house.pool.replace(tuple(model.ref for model in house.pool.models.values()), Rules({None: Terms(10, 5.0)}))
        clock.advance(6)
        assert house.pool.find("a").pid == pid

        await house.pool.tidy()

        assert house.state("a") == "cold"


# ---- devices --------------------------------------------------------------------------------------------------------


async def test_a_model_runs_where_the_numbers_put_it(tmp_path: Path, clock: HeldClock) -> None:
    """After a probe the worker is told the chosen device, and the model's info says why."""
    machine = Devised(tmp_path, clock, "CPU", "GPU")
    await machine.probe()
    async with kept(tmp_path, clock, options(""), devices=machine.devices) as made:
        await until(lambda: made.model.state == "ready")

        info = made.model.info()
        assert info.device == "GPU"
        assert (info.device_why or "").startswith("GPU is the fastest")
        assert made.pool.idle() == (made.model.ref,)
        async with made.model.lease("somebody") as lease:
            async for _ in lease.stages():
                pass
            assert made.pool.idle() is None


@pytest.mark.parametrize("trouble", ["lacks=GPU", "dies=GPU"])
async def test_a_chosen_device_that_fails_is_left_for_the_cpu(trouble: str, tmp_path: Path, clock: HeldClock) -> None:
    """A model that is refused there, or whose process dies there, runs on the CPU, and the reason names the device."""
    machine = Devised(tmp_path, clock, "CPU", "GPU")
    await machine.probe(options(trouble))
    async with kept(tmp_path, clock, options(trouble), devices=machine.devices) as made:
        await until(lambda: made.model.state == "ready")

        info = made.model.info()
        assert info.device == "CPU"
        assert "GPU is left out: the model does not load there" in (info.device_why or "")
        assert await ask(made.model) == "one two"


async def test_a_pinned_device_that_is_missing_fails(tmp_path: Path, clock: HeldClock) -> None:
    """The model is not served elsewhere, and who asks for it is told what is here."""
    machine = Devised(tmp_path, clock, "CPU", "GPU")
    pinned = ModelRef("play", "scripted", "lacks=NPU", "NPU")
    async with kept(tmp_path, clock, pinned, devices=machine.devices) as made:
        await until(lambda: made.model.state == "failed")

        assert "NPU" in (made.model.error or "") and "CPU" in (made.model.error or "")
        with pytest.raises(NoCandidate, match='device = "auto"'):
            await ask(made.model)


async def test_speeds_outlive_a_restart(tmp_path: Path, clock: HeldClock) -> None:
    """How fast a model reads has to be found out once, and not after each start."""
    for known in (None, 2.0):
        started = Kept(tmp_path, clock, (PLAY,), speeds=RateStore(tmp_path / "speeds"))
        async with asyncio.timeout(WAIT_S), started.pool.running():
            await started.model.load(WAIT_S)
            assert started.model.rates.first_word_s(1000) == known
            started.model.rates.read(1000, 2.0)
