"""The official Ollama client, and what other clients of Ollama and LM Studio rely on, against a real daemon."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import ollama
import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.daemon.protocols.test_ollama_chat import PNG
from tests.edge_models.test_gguf_file import write_sample
from tests.fakes.hub import Hub
from tests.fakes.running import SCRIPTED, RunningDaemon, running, wait_until

BROKEN = "iVBORw0KGgoAAAAA"
"""The beginning of a PNG: nobody can look at it, and so no model of words can be told of it."""
pytestmark = pytest.mark.slow

LOOK: Any = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
CALLED = 'Say: <tool_call>{"name": "look", "arguments": {"at": 1}}</tool_call>'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    names = '[routing.names]\n"llama3*" = "local"\n'
    with running(tmp_path_factory.mktemp("home"), "context=100", names) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def client(daemon: RunningDaemon) -> Iterator[ollama.Client]:
    with ollama.Client(host=daemon.url, timeout=60, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def http(daemon: RunningDaemon) -> Iterator[httpx.Client]:
    with daemon.http() as http:
        yield http


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


# ---- answers --------------------------------------------------------------------------------------------------------


def test_chat_whole(client: ollama.Client) -> None:
    """A whole answer has its text, why it ended, and what it took."""
    answer = client.chat("local", messages=said("one two three"))

    assert (answer.message.content, answer.model, answer.done, answer.done_reason) == (
        "one two three",
        "local/play",
        True,
        "stop",
    )
    assert (answer.prompt_eval_count, answer.eval_count) == (3, 3)
    assert answer.total_duration
    assert answer.eval_duration


def test_chat_streamed(client: ollama.Client) -> None:
    """A streamed answer comes in pieces, and its last line counts."""
    pieces = list(client.chat("auto:latest", messages=said("one two three"), stream=True))

    assert [piece.message.content for piece in pieces] == ["one", " two", " three", ""]
    assert [piece.done for piece in pieces] == [False, False, False, True]
    assert (pieces[-1].prompt_eval_count, pieces[-1].eval_count) == (3, 3)
    assert (pieces[-1].total_duration or 0) >= (pieces[-1].eval_duration or 0)


def test_generate(client: ollama.Client) -> None:
    """One prompt, whole and streamed, with options that are honoured."""
    answer = client.generate("local", prompt="one two three", options={"num_predict": 2})
    pieces = list(client.generate("local", prompt="one two three", stream=True))

    assert (answer.response, answer.done_reason) == ("one two", "length")
    assert "".join(piece.response for piece in pieces) == "one two three"
    assert [piece.done for piece in pieces] == [False, False, False, True]


def test_a_tool_session(client: ollama.Client) -> None:
    """A call comes as an object, whole and streamed, and the conversation goes on with its result."""
    whole = client.chat("local", messages=said(CALLED), tools=[LOOK])
    streamed = list(client.chat("local", messages=said(CALLED), tools=[LOOK], stream=True))

    for message in (whole.message, *(piece.message for piece in streamed if piece.message.tool_calls)):
        (call,) = message.tool_calls or ()
        assert (call.function.name, call.function.arguments) == ("look", {"at": 1})
    assert whole.done_reason == streamed[-1].done_reason == "stop"

    history: list[Any] = [*said(CALLED), whole.message]
    history.append({"role": "tool", "tool_name": "look", "content": "nothing there"})
    assert "nothing there" in (client.chat("local", messages=history, tools=[LOOK]).message.content or "")


def test_logprobs(http: httpx.Client) -> None:
    """Each token's log-probability comes with its bytes."""
    body = {"model": "local", "messages": said("[[bytes=f09f9880]]"), "logprobs": True, "stream": False}
    answer = http.post("/api/chat", json=body).json()

    assert [token["bytes"] for token in answer["logprobs"]] == [[0xF0], [0x9F], [0x98], [0x80]]


def test_errors_have_ollamas_shape(client: ollama.Client) -> None:
    """A name that no model has, a prompt over the window, a picture for a text model, and what is refused by name."""
    for status, needle, ask in (
        (404, "local/play", lambda: client.chat("gpt-99", messages=said("hi"))),
        (400, "100", lambda: client.chat("local", messages=said("[[prompt=500]]"))),
        (400, "100", lambda: list(client.chat("local", messages=said("[[prompt=500]]"), stream=True))),
        (400, "image", lambda: client.generate("local", prompt="what?", images=[BROKEN])),
        (400, "raw", lambda: client.generate("local", prompt="x", raw=True)),
        (400, "format", lambda: client.generate("local", prompt="x", format="json")),
        (403, "token", lambda: client.chat("cloud", messages=said("hi"))),
        (404, "not found", lambda: client.show("gpt-99")),
        (501, "nearloop models import", lambda: client.copy("local", "other")),
    ):
        with pytest.raises(ollama.ResponseError, match=needle) as caught:
            ask()
        assert caught.value.status_code == status


def test_an_error_in_mid_stream_is_raised(client: ollama.Client) -> None:
    """An engine that breaks after some tokens raises in the reader of the stream."""
    with pytest.raises(ollama.ResponseError, match="process"):
        list(client.chat("local", messages=said("[[tokens=9]] [[fail=3]]"), stream=True))


def test_what_is_left_aside_is_said(http: httpx.Client) -> None:
    """Options that change nothing, a wish to be kept longer than the user has it, and reasoning, are in the header."""
    body = {
        "model": "local",
        "messages": said("hi"),
        "keep_alive": -1,
        "think": True,
        "options": {"num_ctx": 131072, "mine": 1},
    }
    answer = http.post("/api/chat", json=body)

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert answer.headers["x-nearloop-ignored"].split(", ") == ["options.num_ctx", "other", "think", "keep_alive"]
    assert answer.headers["x-nearloop-egress"] == "none"


# ---- models ---------------------------------------------------------------------------------------------------------


def test_the_version_is_new_enough(http: httpx.Client) -> None:
    """VS Code asks for 0.6.4 and Codex for 0.13.4 at least; ours stands beside it."""
    said = http.get("/api/version").json()

    assert tuple(map(int, said["version"].split("."))) >= (0, 13, 4)
    assert said["nearloop"]


def test_tags_have_what_strict_readers_need(http: httpx.Client, client: ollama.Client) -> None:
    """Zed fails at a field that is absent, and Roo Code drops the whole list."""
    models = {model["name"]: model for model in http.get("/api/tags").json()["models"]}

    assert {"auto", "local", "local/play", "local/smollm2-135m-instruct", "nearloop/light"} <= set(models)
    assert "system-one" not in models
    for name, model in models.items():
        assert (model["model"], type(model["size"])) == (name, int)
        assert datetime.fromisoformat(model["modified_at"]).tzinfo is not None
        assert len(model["digest"]) == 64
        for field in ("format", "family", "parameter_size", "quantization_level", "parent_model"):
            assert isinstance(model["details"][field], str)
        assert model["details"]["families"] == [model["details"]["family"]]
    known = models["local/smollm2-135m-instruct"]["details"]
    assert (known["format"], known["family"], known["parameter_size"], known["quantization_level"]) == (
        "gguf",
        "llama",
        "134.5M",
        "Q4_1",
    )
    assert {model.model for model in client.list().models} == set(models)


def test_every_tag_can_be_shown(http: httpx.Client, client: ollama.Client) -> None:
    """Roo Code and codecompanion show each one; tools have to be among its abilities, and the window the effective one."""
    for model in client.list().models:
        assert model.model
        shown = client.show(model.model)
        assert shown.capabilities in (["completion", "tools"], ["embedding"])
        assert shown.details
        assert shown.modelinfo["general.architecture"] == shown.details.family
    by_old_word = http.post("/api/show", json={"name": "local:latest"}).json()
    assert by_old_word["model_info"][by_old_word["model_info"]["general.architecture"] + ".context_length"] == 100
    assert by_old_word["parameters"] == "num_ctx 100"
    assert isinstance(by_old_word["template"], str)
    assert client.show("llama3.2:latest").parameters == "num_ctx 100"  # as the settings have that name
    assert client.pull("llama3.2").status == "success"
    assert client.chat("llama3.2", messages=said("hi")).model == "local/play"


def test_vectors(client: ollama.Client, http: httpx.Client) -> None:
    """One text or several, in the present form and in the older one; the same vectors as OpenAI's clients get."""
    two = client.embed("all-minilm-l6-v2", input=["a cat", "a dog"])
    one = client.embed("all-minilm-l6-v2:latest", input="a cat")
    older = client.embeddings("all-minilm-l6-v2", prompt="a cat")
    openais = http.post("/v1/embeddings", json={"model": "all-minilm-l6-v2", "input": "a cat"}).json()

    assert two.embeddings[0] == one.embeddings[0] == older.embedding == openais["data"][0]["embedding"]
    assert two.prompt_eval_count == 4
    assert client.embed("all-minilm-l6-v2", input=[]).embeddings == []
    with pytest.raises(ollama.ResponseError) as caught:
        client.embed("nomic-embed-text", input="x")
    assert caught.value.status_code == 404
    with pytest.raises(ollama.ResponseError, match="dimensions"):
        client.embed("all-minilm-l6-v2", input="x", dimensions=10)


def test_lm_studios_list(http: httpx.Client) -> None:
    """Zed reads it strictly; Cline wants both windows. OpenAI's chat answers there too."""
    models = {model["id"]: model for model in http.get("/api/v0/models").json()["data"]}

    for name, model in models.items():
        assert model["object"] == "model"
        assert model["type"] in ("llm", "embeddings")
        assert model["compatibility_type"] in ("gguf", "mlx")
        assert model["state"] in ("loaded", "not-loaded")
        assert isinstance(model["publisher"], str)
        assert model["max_context_length"] > 0
        assert http.get(f"/api/v0/models/{name}").json() == model
    assert (models["local/play"]["max_context_length"], models["local/play"]["loaded_context_length"]) == (100, 100)
    assert models["local/smollm2-135m-instruct"]["state"] == "not-loaded"
    assert "loaded_context_length" not in models["local/smollm2-135m-instruct"]
    answer = http.post("/api/v0/chat/completions", json={"model": "local", "messages": said("one two")}).json()
    assert answer["choices"][0]["message"]["content"] == "one two"
    assert http.get("/api/v0/models/none").json()["error"]["code"] == "model_not_found"


def test_loaded_and_unloaded(client: ollama.Client, http: httpx.Client) -> None:
    """A request that says nothing loads its model, or unloads it; ps shows when it will go, however long a client wants."""
    assert client.generate("local").done_reason == "load"
    (loaded,) = client.ps().models
    assert (loaded.name, loaded.context_length) == ("local/play", 100)

    client.chat("local", messages=said("hi"), keep_alive=60)
    (loaded,) = client.ps().models
    assert loaded.expires_at
    assert loaded.expires_at - datetime.now(UTC) < timedelta(seconds=65)

    client.chat("local", messages=said("hi"), keep_alive=-1)
    (loaded,) = client.ps().models
    assert loaded.expires_at
    assert timedelta(minutes=58) < loaded.expires_at - datetime.now(UTC) < timedelta(minutes=61)

    unloaded = http.post("/api/chat", json={"model": "local", "messages": [], "keep_alive": 0, "mine": 1})
    assert unloaded.json()["done_reason"] == "unload"
    assert (unloaded.headers["x-nearloop-egress"], unloaded.headers["x-nearloop-ignored"]) == ("none", "other")
    assert "x-nearloop-record" not in unloaded.headers  # nothing was asked
    assert client.ps().models == []
    assert client.chat("local", messages=said("back")).message.content == "back"


def test_the_front_door(http: httpx.Client) -> None:
    """Clients hold Ollama's words for the sign that its API is here; people who come by are told who it is."""
    assert http.get("/").text == "Ollama is running"
    assert http.head("/").status_code == 200
    assert http.get("/", headers={"accept": "text/html,*/*"}).text == "Nearloop is running"
    for path in ("/api/tags", "/api/version"):
        assert http.head(path).status_code == 200


@pytest.mark.parametrize("path", ["/api/nothing", "/api/tags/x"])
def test_no_such_address(http: httpx.Client, path: str) -> None:
    """Told in Ollama's shape, as a wrong method is."""
    assert http.get(path).json()["code"] == "not_found"
    assert http.get("/api/chat").json()["code"] == "method_not_allowed"


def test_curl_needs_no_header(daemon: RunningDaemon) -> None:
    """Ollama's own documentation has `curl -d` without a type; what a page sends that way is refused."""
    body = json.dumps({"model": "local", "prompt": "one two", "stream": False})
    asked = ["curl", "-s", "--noproxy", "*", f"{daemon.url}/api/generate", "-d", body]

    assert json.loads(subprocess.check_output(asked, timeout=30))["response"] == "one two"
    page = [*asked, "-A", "Mozilla/5.0 (X11) Firefox/60.0", "-H", "Content-Type: text/plain"]
    assert json.loads(subprocess.check_output(page, timeout=30))["code"] == "unsupported_media_type"


# ---- what changes the machine ---------------------------------------------------------------------------------------


def fetching(daemon: RunningDaemon) -> list[int]:
    """Processes that fetch for it."""
    found = []
    for child in psutil.Process(daemon.process.pid).children():
        with suppress(psutil.Error):  # it ends just now
            if "pull" in child.cmdline():
                found.append(child.pid)
    return found


def test_pulled_and_deleted(tmp_path: Path) -> None:
    """A model is fetched with its progress told, answers to its name, and is deleted again; all of that needs a right."""
    sample, home = tmp_path / "sample.gguf", tmp_path / "home"
    write_sample(sample)
    home.mkdir()
    with Hub() as hub, ExitStack() as undo:
        hub.put("org/tiny", "tiny-Q8_0.gguf", sample.read_bytes())
        daemon = RunningDaemon(home, SCRIPTED.format(options=""), {"HF_ENDPOINT": hub.url})
        undo.callback(daemon.stop)
        key = {"authorization": f"Bearer {daemon.admin_token}"}
        anybody = undo.enter_context(ollama.Client(host=daemon.url, timeout=60, trust_env=False))
        owner = undo.enter_context(ollama.Client(host=daemon.url, timeout=60, trust_env=False, headers=key))

        assert [line.status for line in anybody.pull("local", stream=True)][-1] == "success"  # it is here
        for refused in (lambda: anybody.pull("org/tiny"), lambda: anybody.delete("play")):
            with pytest.raises(ollama.ResponseError, match="admin") as caught:
                refused()
            assert caught.value.status_code == 403
        assert hub.sent("hub") == []

        hub.faults.silent_at = 10
        broken_off = owner.pull("org/tiny", stream=True)
        assert next(broken_off).status == "pulling manifest"
        wait_until(lambda: any(request.server == "store" for request in hub.requests), why="the transfer")
        assert fetching(daemon)
        broken_off.close()  # type: ignore[attr-defined]  # it is a generator
        wait_until(lambda: not fetching(daemon), why="the end of a fetch that nobody waits for")
        hub.faults.silent_at = None

        told = list(owner.pull("hf.co/org/tiny:tiny-Q8_0.gguf", stream=True))
        assert told[-1].status == "success"
        size = sample.stat().st_size
        assert any((line.completed, line.total) == (size, size) and line.digest for line in told)

        name = next(model.model for model in anybody.list().models if "tiny" in (model.model or ""))
        assert owner.delete(name).status == "success"
        assert "tiny" not in "".join(model.model or "" for model in anybody.list().models)
        for needle, mistake in (
            ("not found", lambda: owner.delete("tiny")),
            ("--force", lambda: owner.delete("play")),  # `local` means it
            ("no model is called", lambda: list(owner.pull("nothing-known", stream=True))),
        ):
            with pytest.raises(ollama.ResponseError, match=needle):
                mistake()


def test_a_pattern_for_every_name_is_no_model(tmp_path: Path) -> None:
    """What it maps is answered, and shown, and still was never pulled; what the settings name is as good as here."""
    home = tmp_path / "home"
    home.mkdir()
    with running(home, extra='[routing.names]\n"llama3*" = "local"\n"*" = "auto"\n') as daemon:
        key = {"authorization": f"Bearer {daemon.admin_token}"}
        with (
            ollama.Client(host=daemon.url, timeout=60, trust_env=False) as anybody,
            ollama.Client(host=daemon.url, timeout=60, trust_env=False, headers=key) as owner,
        ):
            assert anybody.chat("nothing-known", [{"role": "user", "content": "hi"}]).message.content == "hi"
            for name in ("llama3.3", "llama3:latest", "local", "play"):
                assert anybody.pull(name).status == "success"
            with pytest.raises(ollama.ResponseError, match="admin"):
                anybody.pull("nothing-known")
            with pytest.raises(ollama.ResponseError, match="no model is called"):
                owner.pull("nothing-known")


def test_a_second_port(tmp_path: Path) -> None:
    """Where Ollama's clients look is listened on if the settings ask for it and nobody else is there."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = tmp_path / "home"
    home.mkdir()
    with running(home, extra=f"[server]\nollama_port = {port}\n") as daemon, daemon.client() as control:
        assert httpx.get(f"http://127.0.0.1:{port}/", trust_env=False).text == "Ollama is running"
        assert control.discovery.ollama_port == port
        assert control.status().port != port
        assert not [each for each in control.status().warnings if each.code == "ollama-port-taken"]


def test_a_second_port_that_is_taken_is_a_warning(tmp_path: Path) -> None:
    """Somebody is there already, most likely Ollama: the daemon says so and runs all the same."""
    home = tmp_path / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with (
            running(home, extra=f"[server]\nollama_port = {port}\n") as daemon,
            daemon.client() as control,
            daemon.http() as http,
        ):
            (warning,) = [each for each in control.status().warnings if each.code == "ollama-port-taken"]
            assert str(port) in warning.text
            assert "ollama_port" in warning.remedy
            assert str(port) in (control.discovery.ollama_trouble or "")
            assert http.get("/health").status_code == 200


# ---- fuzz -----------------------------------------------------------------------------------------------------------

_WORDS = st.sampled_from(["local", "auto", "", "json", "user", "tool", "hi", "5m", "-1", "low", PNG, "\x00", "é"])
_LEAVES = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | _WORDS
)
_FIELDS = st.sampled_from(
    [
        "model",
        "messages",
        "prompt",
        "stream",
        "format",
        "options",
        "keep_alive",
        "think",
        "images",
        "tools",
        "suffix",
        "raw",
        "template",
        "context",
        "system",
        "name",
        "input",
        "dimensions",
        "truncate",
        "role",
        "content",
        "tool_calls",
        "function",
        "arguments",
        "seed",
        "stop",
        "num_predict",
        "temperature",
        "top_p",
    ]
)
_VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_FIELDS, inner, max_size=4), max_leaves=12
)
_BODIES = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["local", "auto", "local/play", "all-minilm-l6-v2", "x", ""]) | _VALUES,
        "messages": st.lists(st.fixed_dictionaries({"role": _WORDS, "content": _WORDS}), max_size=3) | _VALUES,
        **dict.fromkeys(("prompt", "input", "stream", "format", "options", "keep_alive", "think", "images"), _VALUES),
        **dict.fromkeys(("tools", "system", "raw", "suffix", "context", "logprobs", "top_logprobs", "name"), _VALUES),
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=_BODIES, path=st.sampled_from(["chat", "generate", "show", "embed", "embeddings", "pull", "copy"]))
def test_no_body_breaks_it(http: httpx.Client, path: str, body: dict[str, Any]) -> None:
    """Whatever is sent is answered, or refused as the client's mistake in Ollama's shape."""
    answer = http.post(f"/api/{path}", json=body)

    if answer.status_code != 200:
        assert answer.status_code < 500 or answer.status_code == 501, answer.text
        assert set(answer.json()) == {"error", "code"}
    for line in answer.text.splitlines() if "ndjson" in answer.headers["content-type"] else [answer.text]:
        assert "internal_error" not in line
        assert not line or isinstance(json.loads(line), dict)
