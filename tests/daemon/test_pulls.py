"""What is fetched for a model: one file, a folder of OpenVINO's, or nothing where it is not plain what is meant."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec
import pytest

from daemon.downloads import Hub, Patience
from daemon.errors import BadRequest
from daemon.hub_answers import NotFetched
from daemon.model_files import ModelFiles
from daemon.paths import Paths
from daemon.pulls import Plan, plan_for, plan_of, pull
from edge_models.hub_models import HubFile, hub_model
from tests.fakes.cleared import Crossings
from tests.fakes.hub import COMMIT, Faults
from tests.fakes.hub import Hub as FakeHub

NOW = datetime(2026, 1, 2, tzinfo=UTC)
QUICK = Patience(tries=1)
WEIGHTS = os.urandom(200_000)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as hub:
        yield hub


async def planned(hub: FakeHub, repository: str, file: str | None = None, revision: str = "main") -> Plan:
    async with Hub(hub.url, None, "0", Crossings(), QUICK) as asked:
        return await plan_for(asked, repository, file, revision, None)


async def carried_out(hub: FakeHub, plan: Plan, here: ModelFiles) -> list[str]:
    """Names of what was told."""
    told: list[str] = []
    async with Hub(hub.url, None, "0", Crossings(), QUICK) as asked:
        await pull(plan, asked, here, NOW, lambda name, done, whole: told.append(name))
    return told


def openvino(hub: FakeHub) -> None:
    """A repository in OpenVINO's format."""
    hub.put("org/Model-int4-ov", "openvino_model.bin", WEIGHTS)
    for name in ("openvino_model.xml", "openvino_tokenizer.xml", "openvino_detokenizer.xml", "config.json"):
        hub.put("org/Model-int4-ov", name, f"<{name}>".encode(), small=True)
    for name in (".gitattributes", "README.md", "original/pytorch_model.bin"):
        hub.put("org/Model-int4-ov", name, b"not wanted")


async def test_the_only_file_is_meant(hub: FakeHub) -> None:
    """A repository with one GGUF file needs no file name, and the model is called by it."""
    hub.put("org/repo", "Sub/Model-Q8_0.gguf", WEIGHTS)
    hub.put("org/repo", "README.md", b"x")

    plan = await planned(hub, "org/repo")

    assert (plan.name, plan.entry, plan.revision) == ("model-q8_0", "Model-Q8_0.gguf", COMMIT)
    assert plan.files[0].sha256


async def test_an_encoder_of_pictures_comes_as_its_makers_have_it(hub: FakeHub) -> None:
    """Configuration, weights and tokenizer, and nothing of the other forms that lie beside them."""
    wanted = ("config.json", "model.safetensors", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json")
    for name in (*wanted, "README.md", "spiece.model", "pytorch_model.bin", "onnx/model.onnx"):
        hub.put("google/siglip-base-patch16-224", name, b"{}", small=name.endswith(".json"))

    plan = await planned(hub, "google/siglip-base-patch16-224")

    assert {each.name for each in plan.files} == set(wanted)
    assert (plan.name, plan.entry, plan.revision) == ("siglip-base-patch16-224", ".", COMMIT)


async def test_of_several_one_has_to_be_named(hub: FakeHub) -> None:
    """A repository with several files has them listed, and odd names among them are not shown."""
    for name in ("a.gguf", "b.gguf", "\x1b[31mred.gguf"):
        hub.put("org/repo", name, WEIGHTS)

    with pytest.raises(BadRequest, match=r"3 GGUF files: .*: a\.gguf, b\.gguf$") as caught:
        await planned(hub, "org/repo")

    assert "\x1b" not in str(caught.value)
    assert (await planned(hub, "org/repo", "b.gguf")).entry == "b.gguf"


@pytest.mark.parametrize(
    ("repository", "file", "revision", "told"),
    [
        ("repo", None, "main", "ORGANISATION/NAME"),
        ("../..", None, "main", "ORGANISATION/NAME"),
        ("org/repo", "../../x.gguf", "main", "can't be kept"),
        ("org/repo", "x.bin", "main", "no GGUF file"),
        ("org/repo", "x-00001-of-00003.gguf", "main", "several parts"),
        ("org/repo", "x.gguf", "a/../b", "a revision is"),
        ("org/empty", None, "main", "no GGUF file, no OpenVINO model"),
    ],
)
async def test_what_can_not_be_meant(repository: str, file: str | None, revision: str, told: str, hub: FakeHub) -> None:
    """Odd repositories, files and revisions are refused before a file is asked for."""
    hub.put("org/empty", "README.md", b"x")

    with pytest.raises(BadRequest, match=told):
        await planned(hub, repository, file, revision)

    assert not hub.sent("store")


async def test_a_hostile_listing_is_refused(hub: FakeHub) -> None:
    """A hub that lists a file whose name is a device or no plain name is not followed."""
    openvino(hub)
    hub.put("org/Model-int4-ov", "con.json", b"x")

    with pytest.raises(BadRequest):
        await planned(hub, "org/Model-int4-ov")


async def test_an_openvino_folder_comes_whole(hub: FakeHub, where: Paths) -> None:
    """All files of an OpenVINO model come, and nothing else; its folder is what an engine is given."""
    openvino(hub)
    here = ModelFiles(where)

    await carried_out(hub, await planned(hub, "org/Model-int4-ov"), here)

    (origin,) = here.all()
    assert sorted(file.name for file in origin.files) == [
        "config.json", "openvino_detokenizer.xml", "openvino_model.bin", "openvino_model.xml", "openvino_tokenizer.xml"
    ]  # fmt: skip
    assert here.path(origin) == here.directory("model-int4-ov")
    assert {file.trusted for file in origin.files} == {"first-download"}
    assert here.damaged(origin) == ()


async def test_what_came_is_not_fetched_again(hub: FakeHub, where: Paths) -> None:
    """After a break, files that are here whole are not asked for again."""
    openvino(hub)
    hub.put("org/Model-int4-ov", "zz.bin", WEIGHTS[::-1])
    here, plan = ModelFiles(where), await planned(hub, "org/Model-int4-ov")
    hub.faults = Faults(break_at=1000)
    with pytest.raises(NotFetched):
        await carried_out(hub, plan, here)
    hub.faults = Faults()
    await carried_out(hub, msgspec.structs.replace(plan, files=plan.files[:1]), here)
    hub.requests.clear()

    await carried_out(hub, plan, here)

    assert [request.path.partition("?")[0] for request in hub.sent("store")] == ["/org/Model-int4-ov/zz.bin"]


async def test_a_catalogued_model_is_held_to_its_digest(hub: FakeHub, where: Paths) -> None:
    """A model of the catalogue is recorded as what the catalogue says, or refused."""
    model = hub_model("qwen3-0.6b")
    assert model
    sha256 = hub.put(model.repository, "small.gguf", WEIGHTS)
    small = msgspec.structs.replace(model, files=(HubFile("small.gguf", len(WEIGHTS), sha256),))
    here = ModelFiles(where)

    await carried_out(hub, plan_of(small), here)

    (origin,) = here.all()
    assert (origin.licence, origin.revision, origin.commit) == ("Apache-2.0", model.revision, COMMIT)
    assert origin.files[0].trusted == "catalogue"
    other = msgspec.structs.replace(small, name="other", files=(HubFile("small.gguf", len(WEIGHTS), "0" * 64),))
    with pytest.raises(NotFetched, match=r"another small\.gguf than was expected"):
        await carried_out(hub, plan_of(other), here)
    assert here.origin("other") is None
