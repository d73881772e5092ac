"""The shape of the house: what stands where, and who may say what."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("daemon", "edge_models", "providers", "tui")
MODULES: Final = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
SOURCES: Final = [path for path in MODULES if path.name != "__init__.py"]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache  # each file is asked about once for each library
def imports(path: Path) -> set[str]:
    """Top-level names that a module imports, anywhere in it, by statement or by import_module of a literal."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                found |= {alias.name.partition(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module), level=0):
                found.add(module.partition(".")[0])
            case ast.Call(func=ast.Name(id="import_module" | "__import__"), args=[ast.Constant(value=str(module)), *_]):
                found.add(module.partition(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_module_opens_with_one_sentence(path: Path) -> None:
    """The first line of each module says what it is."""
    doc = ast.get_docstring(ast.parse(path.read_text()))

    assert doc
    assert re.search(r"[.:]$", doc.splitlines()[0]) or "\n" in doc


def test_init_files_are_empty() -> None:
    """Importing a leaf loads no house."""
    assert [name(path) for path in MODULES if path.name == "__init__.py" and path.read_text().strip()] == []


@pytest.mark.parametrize(
    ("library", "allowed"),
    [
        ("openvino", {"edge_models/openvino_gate.py"}),
        ("openvino_genai", {"edge_models/openvino_gate.py"}),
        ("openvino_tokenizers", set()),
        ("llama_cpp", {"edge_models/llama/library.py"}),
        ("keyring", {"daemon/secrets.py"}),
        (
            "aiohttp",
            {
                "providers/http.py",
                "providers/leaving.py",
                "providers/picture_hosts.py",
                "daemon/downloads.py",
                "tui/web/door.py",  # which listen, and call nobody
                "tui/web/server.py",
            },
        ),
        ("pystray", {"tui/tray/panel.py"}),
        ("prometheus_client", {"daemon/metrics/exposition.py"}),
        (
            "PIL",
            {
                "edge_models/classifiers/image_text.py",
                "edge_models/training/charts.py",
                "edge_models/training/vision_compare.py",
                "edge_models/training/vision_corpus.py",
                "edge_models/training/vision_efficientnet.py",
                "edge_models/training/vision_reference.py",
                "edge_models/training/vision_subjects.py",
                "tui/tray/icons.py",
                "tui/tray/x_window.py",
                *(name(path) for path in SOURCES if "vision" in path.parts or "pictures" in path.parts),
            },
        ),
        (
            "torch",
            {
                "edge_models/training/reference.py",
                "edge_models/training/trunk.py",
                "edge_models/training/finetune.py",
                "edge_models/training/refit.py",
                "edge_models/training/vision_efficientnet.py",
                "edge_models/training/vision_reference.py",
            },
        ),
        (
            "transformers",
            {
                "edge_models/training/reference.py",
                "edge_models/training/trunk.py",
                "edge_models/training/vision_reference.py",
            },
        ),
        ("optimum", {"edge_models/training/artefact.py"}),
        ("nncf", {"edge_models/training/artefact.py"}),
        ("onnxruntime", {"edge_models/runtimes/onnx.py"}),
        ("tokenizers", {"edge_models/tokenizer.py"}),
        ("httpx", {"daemon/client.py"}),
        ("requests", set()),
        (
            "urllib",
            {
                "daemon/client.py",
                "daemon/demo/planted.py",
                "daemon/downloads.py",
                "daemon/surroundings.py",
                "providers/proxies.py",
            },
        ),
        ("certifi", {"providers/certificates.py"}),
        ("http", set()),
        ("urllib3", set()),
        ("ftplib", set()),
        ("smtplib", set()),
        ("telnetlib", set()),
        ("websockets", set()),
        ("uvicorn", {"daemon/server.py"}),
        ("sqlite3", {"daemon/records.py", "daemon/money/keeping.py"}),
        ("yaml", {"daemon/recipes/yaml_reader.py", "daemon/recipes/yaml_writer.py", "daemon/connecting/yaml_text.py"}),
        ("lark", {"daemon/recipes/dsl_reader.py", "daemon/recipes/dsl_faults.py"}),
        ("socket", {"daemon/server.py", "daemon/peers.py", "daemon/network.py", "daemon/upstreams/link.py"}),
    ],
)
def test_one_door_for_each(library: str, allowed: set[str]) -> None:
    """Libraries with consequences are imported through one door each."""
    assert {name(path) for path in SOURCES if library in imports(path)} <= allowed


def test_the_handler_of_all_protocols_knows_none() -> None:
    """What a protocol's clients expect besides bodies is told by its codec."""
    tree = ast.parse((ROOT / "daemon/surfaces/answering.py").read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert {each for each in modules if each and each.startswith("daemon.protocols")} == {
        "daemon.protocols.base",
        "daemon.protocols.errors",
    }


OPENERS: Final = ("urlopen", "urlretrieve", "open_connection", "create_connection", "connect_ex", "sock_connect")
"""What else opens a connection, in libraries that are there for something else."""


def test_nothing_goes_out_without_a_receipt() -> None:
    """Each client session is made with the connector that has a receipt written first, and nothing else connects."""
    sessions, connectors, strays = [], [], []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            of_aiohttp = isinstance(owner, ast.Name) and owner.id == "aiohttp"
            if called == "ClientSession":
                given = {word.arg: word.value for word in node.keywords}.get("connector")
                witnessed = isinstance(given, ast.Call) and getattr(given.func, "id", "") == "WitnessedConnector"
                sessions.append((name(path), witnessed))
            elif called.endswith("Connector") and called != "WitnessedConnector":
                connectors.append(name(path))
            elif called in OPENERS or (of_aiohttp and called == "request"):
                strays.append(name(path))

    made = ("daemon/downloads.py", "providers/http.py", "providers/picture_hosts.py")
    assert sorted(sessions) == [(where, True) for where in made]
    assert (connectors, strays) == ([], [])


def test_the_control_client_speaks_to_this_machine_alone() -> None:
    """The one HTTP client without receipts, the command line's, is given no other address than loopback's."""
    (made,) = re.findall(r"httpx\.Client\((.*?)\)", (ROOT / "daemon" / "client.py").read_text(), re.DOTALL)

    assert "base_url=self.url" in made
    assert 'self.url = f"http://127.0.0.1:{self.discovery.port}"' in (ROOT / "daemon" / "client.py").read_text()


def test_broad_excepts_stand_at_the_known_doors() -> None:
    """`except Exception` and `except BaseException` without raising again stand where the style allows them."""
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ExceptHandler):
                continue
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
            )
            raises = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
            if broad and not raises:
                found.add(name(path))
    assert found <= {"daemon/surfaces/answering.py", "daemon/local_model.py", "daemon/signals/observe.py"}


def test_the_home_folder_is_found_in_one_place() -> None:
    """`~nobody` is refused in words wherever a user writes a path: only one module asks the system for home folders."""
    found = {name(path) for path in SOURCES if ".expanduser(" in path.read_text()}

    assert found == {"daemon/paths.py"}


def test_every_source_has_its_test() -> None:
    """tests/ mirrors the tree; what is only wiring is tested end to end, and listed here with where."""
    elsewhere = {
        "daemon/__main__.py": "e2e/test_up.py",
        "daemon/app.py": "e2e/test_hostile.py",
        "daemon/calls.py": "e2e/test_openai_client.py",
        "daemon/drafted.py": "e2e/test_outcomes.py",
        "daemon/client.py": "e2e/test_up.py",
        "daemon/clock.py": "daemon/test_records.py",
        "daemon/boundary/desk.py": "daemon/boundary/test_papers.py",
        "daemon/boundary/masking.py": "daemon/boundary/test_clear.py",
        "daemon/cli/taking_in.py": "e2e/test_dictionary.py",
        "daemon/cli/limit.py": "e2e/test_spending.py",
        "daemon/cli/spend.py": "e2e/test_spending.py",
        "daemon/cli/announce.py": "e2e/test_up.py",
        "daemon/control/by_command.py": "e2e/test_control.py",
        "daemon/control/model_routes.py": "e2e/test_control.py",
        "daemon/metrics/base.py": "conformance/test_metrics.py",
        "daemon/metrics/registry.py": "conformance/test_metrics.py",
        **{
            f"daemon/metrics/{name}.py": "daemon/metrics/test_families.py"
            for name in (
                "boundary",
                "crossings",
                "decisions",
                "failures",
                "loopers",
                "models",
                "pictures",
                "requests",
                "signals",
                "state",
            )
        },
        "daemon/control/log_routes.py": "e2e/test_control.py",
        "tui/screens/scopes.py": "tui/screens/test_clients.py",
        "tui/screens/token.py": "tui/screens/test_clients.py",
        "tui/screens/ask.py": "tui/screens/test_models.py",
        "tui/screens/parted.py": "tui/screens/test_models.py",
        "tui/widgets/detail.py": "tui/screens/test_models.py",
        "daemon/cli/approvals.py": "e2e/test_approvals.py",
        "daemon/cli/ask.py": "e2e/test_commands.py",
        "daemon/cli/bench_text.py": "e2e/test_bench.py",
        "daemon/cli/client.py": "e2e/test_commands.py",
        "daemon/cli/devices.py": "e2e/test_devices.py",
        "daemon/cli/doctor.py": "e2e/test_commands.py",
        "daemon/cli/demo.py": "e2e/test_demo.py",
        **{f"daemon/demo/{name}.py": "e2e/test_demo.py" for name in ("assets", "own_daemon", "story")},
        "daemon/cli/down.py": "e2e/test_up.py",
        "daemon/cli/main.py": "e2e/test_up.py",
        "daemon/cli/records.py": "e2e/test_commands.py",
        "daemon/cli/recipe.py": "e2e/test_recipe.py",
        "daemon/cli/recipe_run.py": "e2e/test_recipe.py",
        "daemon/cli/recipe_use.py": "e2e/test_recipe_use.py",
        "daemon/cli/setup.py": "e2e/test_setup.py",
        "daemon/cli/signals.py": "e2e/test_signals.py",
        "daemon/leakage/work.py": "daemon/leakage/test_report.py",
        "daemon/signals/first_names.py": "daemon/signals/test_addressed_names.py",
        "daemon/classify/answers.py": "daemon/classify/test_routes.py",
        "daemon/classify/shapes.py": "daemon/classify/test_routes.py",
        "daemon/measuring.py": "e2e/test_setup.py",
        "daemon/cli/status.py": "e2e/test_commands.py",
        "daemon/cli/up.py": "e2e/test_up.py",
        "daemon/cli/version.py": "e2e/test_commands.py",
        "daemon/cli/why.py": "e2e/test_commands.py",
        "daemon/cli/why_codes.py": "e2e/test_routing.py",
        "daemon/cli/why_text.py": "e2e/test_preview.py",
        "daemon/preview/routes.py": "e2e/test_preview.py",
        "daemon/preview/telling.py": "e2e/test_preview.py",
        "daemon/preview_wire.py": "e2e/test_preview.py",
        "daemon/wall_wire.py": "daemon/test_wall.py",
        "daemon/cli/connect.py": "e2e/test_connect.py",
        "daemon/auditing/registry.py": "conformance/test_auditing.py",
        "daemon/auditing/report.py": "daemon/auditing/test_tally.py",
        "daemon/cli/audit.py": "e2e/test_audit.py",
        "daemon/cli/audit_text.py": "daemon/cli/test_audit_text.py",
        "daemon/connecting/registry.py": "conformance/test_connecting.py",
        **{
            f"daemon/connecting/clients/{name}.py": "conformance/test_connecting.py"
            for name in (
                "aider",
                "avante",
                "claude_code",
                "cline",
                "codecompanion",
                "codex",
                "continue_dev",
                "jetbrains",
                "llm",
                "opencode",
                "roo",
                "vscode",
                "zed",
            )
        },
        "daemon/control/recipe_routes.py": "e2e/test_recipe_use.py",
        "daemon/control/recipe_choice_routes.py": "e2e/test_recipe_use.py",
        "daemon/control/routes.py": "e2e/test_hostile.py",
        "daemon/control/state.py": "e2e/test_commands.py",
        "daemon/errors.py": "daemon/protocols/test_errors.py",
        "daemon/health.py": "e2e/test_up.py",
        "daemon/launch.py": "e2e/test_up.py",
        "daemon/loopers/base.py": "conformance/test_loopers.py",
        "daemon/hub_answers.py": "daemon/test_downloads.py",
        "daemon/inventory.py": "e2e/test_models.py",
        "daemon/loopers/pieces/registry.py": "daemon/loopers/pieces/test_base.py",
        "daemon/loopers/registry.py": "conformance/test_loopers.py",
        "daemon/loopers/single.py": "conformance/test_loopers.py",
        "daemon/partial_file.py": "daemon/test_downloads.py",
        "daemon/pipeline.py": "e2e/test_hostile.py",
        "daemon/protocols/base.py": "conformance/test_protocols.py",
        "daemon/protocols/registry.py": "conformance/test_protocols.py",
        "providers/wire/openai_completions.py": "daemon/protocols/test_openai_completions.py",
        "daemon/protocols/responses_items.py": "daemon/protocols/test_openai_responses.py",
        "daemon/protocols/responses_tools.py": "daemon/protocols/test_openai_responses.py",
        "daemon/surfaces/openai_responses.py": "e2e/test_openai_responses.py",
        "providers/wire/openai_responses.py": "daemon/protocols/test_openai_responses.py",
        "daemon/protocols/openai_fields.py": "daemon/protocols/test_openai_chat.py",
        "daemon/protocols/dialects.py": "e2e/test_hostile.py",
        "daemon/surfaces/answering.py": "e2e/test_openai_client.py",
        "daemon/protocols/anthropic_blocks.py": "daemon/protocols/test_anthropic.py",
        "daemon/protocols/anthropic_errors.py": "daemon/protocols/test_anthropic.py",
        "daemon/surfaces/anthropic_count.py": "e2e/test_anthropic_client.py",
        "daemon/surfaces/counting.py": "e2e/test_anthropic_client.py",
        "providers/wire/anthropic.py": "daemon/protocols/test_anthropic.py",
        "daemon/surfaces/arriving.py": "e2e/test_openai_client.py",
        "daemon/surfaces/listing.py": "e2e/test_openai_client.py",
        "daemon/surfaces/embedding.py": "daemon/surfaces/test_openai_embeddings.py",
        "providers/wire/openai_embeddings.py": "daemon/surfaces/test_openai_embeddings.py",
        "daemon/surfaces/openai_models.py": "e2e/test_openai_client.py",
        "daemon/surfaces/registry.py": "e2e/test_openai_client.py",
        "daemon/surfaces/routes.py": "e2e/test_openai_client.py",
        "daemon/surfaces/served.py": "e2e/test_openai_client.py",
        "daemon/surfaces/described.py": "e2e/test_ollama_client.py",
        "daemon/surfaces/front_door.py": "e2e/test_ollama_client.py",
        "daemon/surfaces/lm_studio.py": "e2e/test_ollama_client.py",
        "daemon/surfaces/loading.py": "e2e/test_ollama_client.py",
        "daemon/surfaces/ollama_embed.py": "e2e/test_ollama_client.py",
        "daemon/surfaces/ollama_models.py": "e2e/test_ollama_client.py",
        "daemon/protocols/ollama_writing.py": "daemon/protocols/test_ollama_chat.py",
        "providers/wire/lm_studio.py": "e2e/test_ollama_client.py",
        "providers/wire/ollama.py": "daemon/protocols/test_ollama_chat.py",
        "providers/wire/gemini.py": "providers/families/test_gemini_answer.py",
        "daemon/recipes/algorithms.py": "daemon/recipes/test_shaping.py",
        "daemon/recipes/check_parts.py": "daemon/recipes/test_check.py",
        "daemon/recipes/dsl_faults.py": "daemon/recipes/test_dsl_reader.py",
        "daemon/recipes/dsl_outline.py": "daemon/recipes/test_dsl_reader.py",
        "daemon/recipes/dsl_statements.py": "daemon/recipes/test_dsl_reader.py",
        "daemon/recipes/model.py": "daemon/recipes/test_shaping.py",
        "daemon/recipes/plugins.py": "daemon/recipes/test_shaping.py",
        "daemon/recipes/projections.py": "daemon/decision/test_projections.py",
        "daemon/recipes/signals.py": "daemon/recipes/test_shaping.py",
        "daemon/recipes/vocabulary.py": "daemon/recipes/test_availability.py",
        "daemon/routing/plugins/base.py": "daemon/routing/plugins/test_registry.py",
        "daemon/routing/selection/base.py": "daemon/routing/selection/test_choosing.py",
        "daemon/routing/selection/registry.py": "daemon/routing/selection/test_choosing.py",
        "daemon/server.py": "e2e/test_up.py",
        "daemon/version.py": "e2e/test_commands.py",
        "daemon/wire.py": "e2e/test_commands.py",
        "daemon/cli/prove_local.py": "e2e/test_receipts.py",
        "daemon/cli/receipts.py": "e2e/test_receipts.py",
        "daemon/control/approval_routes.py": "e2e/test_approvals.py",
        "daemon/control/receipt_routes.py": "e2e/test_receipts.py",
        "daemon/receipts/files.py": "daemon/receipts/test_appending.py",
        "daemon/receipts/links.py": "daemon/receipts/test_appending.py",
        "providers/leaving.py": "providers/test_http.py",
        "daemon/cli/export.py": "edge_models/training/test_stack.py",
        "edge_models/catalog.py": "edge_models/test_store.py",
        "edge_models/device_query.py": "daemon/test_device_process.py",
        "edge_models/engines/genai_text.py": "edge_models/engines/test_openvino_genai.py",
        "edge_models/openvino_gate.py": "e2e/test_telemetry.py",
        "edge_models/llama/choices.py": "edge_models/engines/test_llama_cpp.py",
        "edge_models/llama/constraint.py": "edge_models/grammars/test_schema_grammar.py",
        "edge_models/llama/context.py": "edge_models/engines/test_llama_cpp.py",
        "edge_models/grammars/fraction_grammar.py": "edge_models/grammars/test_number_grammar.py",
        "edge_models/grammars/grammar_text.py": "edge_models/grammars/test_schema_grammar.py",
        "edge_models/llama/library.py": "edge_models/engines/test_llama_cpp.py",
        "edge_models/grammars/pattern_grammar.py": "edge_models/grammars/test_schema_grammar.py",
        "edge_models/llama/requests.py": "edge_models/engines/test_llama_cpp.py",
        "edge_models/grammars/schema_merge.py": "edge_models/grammars/test_schema_grammar.py",
        "edge_models/llama/scoring.py": "edge_models/engines/test_llama_cpp.py",
        "edge_models/llama/template.py": "edge_models/engines/test_llama_cpp.py",
        "edge_models/llama/vocabulary.py": "edge_models/engines/test_llama_cpp.py",
        "edge_models/tool_calls/base.py": "conformance/test_tool_calls.py",
        "edge_models/tool_calls/registry.py": "conformance/test_tool_calls.py",
        "edge_models/tool_calls/deepseek.py": "conformance/test_tool_calls.py",
        "edge_models/tool_calls/hermes.py": "conformance/test_tool_calls.py",
        "edge_models/tool_calls/llama.py": "conformance/test_tool_calls.py",
        "edge_models/tool_calls/mistral.py": "conformance/test_tool_calls.py",
        "edge_models/tool_calls/tagged_list.py": "conformance/test_tool_calls.py",
        "edge_models/messages.py": "edge_models/tool_calls/test_asking.py",
        "edge_models/confinement/look.py": "edge_models/confinement/test_process.py",
        "daemon/cli/models_load.py": "e2e/test_workers.py",
        "edge_models/classifiers/base.py": "conformance/test_encoders.py",
        "daemon/signals/missing.py": "daemon/classify/test_routes.py",
        "daemon/signals/opening.py": "daemon/signals/test_forward.py",
        "edge_models/encoder.py": "edge_models/classifiers/test_opening.py",
        "edge_models/confined_process.py": "edge_models/test_encoder_process.py",
        "edge_models/confined_worker.py": "edge_models/test_encoder_process.py",
        "edge_models/vision/detail.py": "edge_models/vision/test_process.py",
        "edge_models/vision/eyes.py": "edge_models/vision/test_process.py",
        "edge_models/vision/ipc.py": "edge_models/vision/test_process.py",
        "edge_models/vision/limits.py": "edge_models/vision/test_process.py",
        "edge_models/vision/models.py": "edge_models/vision/test_process.py",
        "edge_models/vision/painting.py": "edge_models/vision/test_process.py",
        "edge_models/vision/seen.py": "edge_models/vision/test_process.py",
        "edge_models/vision/text_boxes.py": "edge_models/vision/test_process.py",
        "edge_models/vision/worker.py": "edge_models/vision/test_process.py",
        "edge_models/encoder_worker.py": "edge_models/test_encoder_process.py",
        "edge_models/runtimes/base.py": "conformance/test_encoders.py",
        "edge_models/runtimes/registry.py": "conformance/test_encoders.py",
        "daemon/cli/train.py": "edge_models/training/test_own_head.py",
        "daemon/cli/parity.py": "edge_models/training/test_vision_subjects.py",
        "edge_models/training/vision_labels.py": "edge_models/training/test_vision_corpus.py",
        "daemon/cli/train_records.py": "e2e/test_train_records.py",
        **{
            f"edge_models/training/pictures/{name}.py": "edge_models/training/pictures/test_looks.py"
            for name in ("charts", "identity", "medical", "others", "papers", "pen", "screens", "wear")
        },
        "edge_models/training/base_encoder.py": "edge_models/training/test_signals.py",
        "edge_models/training/charts.py": "edge_models/training/test_signals.py",
        "edge_models/training/finetune.py": "edge_models/training/test_signals.py",
        "edge_models/training/graph.py": "edge_models/training/test_signals.py",
        "edge_models/training/heads.py": "edge_models/training/sets/test_registry.py",
        "edge_models/training/refit.py": "edge_models/training/test_signals.py",
        "edge_models/training/package.py": "edge_models/training/test_signals.py",
        "edge_models/training/trunk.py": "edge_models/training/test_signals.py",
        **{
            f"edge_models/training/sets/{name}.py": "edge_models/training/sets/test_registry.py"
            for name in (
                "base",
                "bipia",
                "clinc150",
                "halueval_qa",
                "harmful_requests",
                "jailbreaks",
                "labelled",
                "lingua",
                "llmrouter_mix",
                "metatool",
                "mmlu_pro",
                "plain",
                "presidio_synth",
                "writingbench",
                "wnut17",
            )
        },
        "edge_models/training/artefact.py": "edge_models/training/test_export.py",
        "edge_models/training/candidate.py": "edge_models/training/test_export.py",
        "edge_models/training/quiet.py": "edge_models/training/test_export.py",
        "edge_models/training/reference.py": "edge_models/training/test_export.py",
        "edge_models/training/samples.py": "edge_models/training/test_parity.py",
        "edge_models/engines/base.py": "conformance/test_engines.py",
        "edge_models/engines/registry.py": "conformance/test_engines.py",
        "edge_models/engines/scripted.py": "conformance/test_engines.py",
        "daemon/certifying/labelled_sets.py": "daemon/certifying/test_questions.py",
        "daemon/certifying/own_questions.py": "daemon/certifying/test_questions.py",
        "daemon/certifying/own_prose.py": "daemon/certifying/test_questions.py",
        "daemon/certifying/likened.py": "daemon/certifying/test_report.py",
        "daemon/certifying/within.py": "daemon/certifying/test_report.py",
        "daemon/loopers/drafts.py": "daemon/loopers/test_confidence.py",
        "daemon/loopers/judging.py": "daemon/loopers/test_confidence.py",
        "daemon/loopers/hedge.py": "daemon/loopers/test_confidence.py",
        **{f"daemon/tools/{name}.py": "daemon/tools/test_effects.py" for name in ("known", "tables", "wording")},
        "daemon/tools/ranks.py": "daemon/tools/test_weighing.py",
        "edge_models/training/tool_offers.py": "edge_models/training/test_tool_gate.py",
        "daemon/confidence/scorer.py": "daemon/certifying/test_scorer_fit.py",
        "daemon/cli/allow.py": "e2e/test_commands.py",
        "daemon/cli/calibrate.py": "e2e/test_calibrate.py",
        "daemon/cli/models_in_use.py": "e2e/test_calibrate.py",
        "daemon/certifying/calibrating.py": "e2e/test_calibrate.py",
        "daemon/cli/confidence_report.py": "daemon/certifying/test_report.py",
        "daemon/cli/confidence_text.py": "e2e/test_bench_confidence.py",
        "daemon/cli/feedback.py": "e2e/test_feedback.py",
        "daemon/cli/bench_confidence.py": "e2e/test_bench_confidence.py",
        "daemon/cli/dictionary.py": "e2e/test_dictionary.py",
        "daemon/cli/local_only.py": "e2e/test_local_only.py",
        "daemon/cli/key.py": "e2e/test_keys.py",
        "daemon/cli/models.py": "e2e/test_models.py",
        "daemon/cli/models_estimate.py": "e2e/test_models.py",
        "daemon/cli/models_import.py": "e2e/test_models.py",
        "daemon/cli/models_pull.py": "e2e/test_models.py",
        "daemon/cli/provider.py": "e2e/test_keys.py",
        "daemon/boundary/vault.py": "daemon/boundary/test_clear.py",
        "daemon/boundary/masker.py": "daemon/boundary/aliases/test_forms.py",
        "daemon/cli/reduce.py": "e2e/test_reduce.py",
        "daemon/boundary/sinks.py": "daemon/boundary/test_restore.py",
        **{
            f"daemon/boundary/aliases/{name}.py": "daemon/boundary/aliases/test_forms.py"
            for name in ("addresses", "base", "dates", "names", "numbers", "people", "registry", "shapes", "words")
        },
        "daemon/signals/assignments.py": "daemon/signals/test_secret.py",
        "daemon/signals/base.py": "conformance/test_signals.py",
        "daemon/signals/keywords/likeness.py": "daemon/signals/test_keyword.py",
        "daemon/signals/keywords/patterns.py": "daemon/signals/test_keyword.py",
        "daemon/signals/hazard_examples.py": "daemon/signals/test_hazards.py",
        "daemon/signals/keywords/ranking.py": "daemon/signals/test_keyword.py",
        "daemon/signals/keywords/whole_words.py": "daemon/signals/test_keyword.py",
        "daemon/signals/own_classifiers.py": "daemon/signals/test_classifier.py",
        "daemon/signals/own_rules.py": "e2e/test_near.py",
        "daemon/signals/parts.py": "conformance/test_signals.py",
        "daemon/signals/national_ids.py": "daemon/signals/test_pii.py",
        "daemon/signals/phones.py": "daemon/signals/test_pii.py",
        "daemon/signals/registry.py": "conformance/test_signals.py",
        "daemon/signals/top_domains.py": "daemon/signals/test_pii.py",
        "daemon/signals/vendor_tokens.py": "daemon/signals/test_secret.py",
        "providers/wire/openai_chat.py": "daemon/protocols/test_openai_chat.py",
        "daemon/cli/tui.py": "tui/test_command.py",
        **{
            f"tui/tables/{name}.py": "tui/tables/test_privacy_tables.py" for name in ("approvals", "policy", "receipts")
        },
        "tui/screens/privacy/part.py": "tui/screens/privacy/test_page.py",
        "tui/screens/privacy/policy.py": "tui/screens/privacy/test_page.py",
        "tui/tables/answers.py": "tui/screens/test_playground.py",
        "tui/widgets/answer.py": "tui/screens/test_playground.py",
        "tui/screens/choose.py": "tui/screens/test_playground.py",
        "tui/screens/reading.py": "tui/screens/test_clients.py",
        "daemon/connecting/telling.py": "e2e/test_connect.py",
        "daemon/control/program_routes.py": "e2e/test_connect.py",
        "tui/screens/form.py": "tui/screens/test_providers.py",
        "tui/widgets/split.py": "tui/screens/privacy/test_page.py",
        "tui/widgets/search.py": "tui/screens/test_logs.py",
        "tui/widgets/strip.py": "tui/screens/privacy/test_page.py",
        "tui/panels/attempts.py": "tui/panels/test_panels.py",
        "tui/panels/clearance.py": "tui/panels/test_panels.py",
        "tui/panels/curve.py": "tui/panels/test_panels.py",
        "tui/panels/codes.py": "tui/panels/test_panels.py",
        "tui/panels/decision.py": "tui/panels/test_panels.py",
        "tui/panels/ledger.py": "tui/panels/test_panels.py",
        "tui/panels/pictures.py": "tui/panels/test_panels.py",
        "tui/panels/receipts.py": "tui/panels/test_panels.py",
        "tui/panels/registry.py": "tui/panels/test_panels.py",
        "tui/panels/signals.py": "tui/panels/test_panels.py",
        "tui/panels/times.py": "tui/panels/test_panels.py",
        "providers/families/base.py": "conformance/test_providers.py",
        "providers/target.py": "providers/test_registry.py",
        "tui/panels/walk.py": "tui/panels/test_panels.py",
        "tui/panels/writing.py": "tui/panels/test_panels.py",
        "tui/registry.py": "tui/test_app.py",
        "tui/tones.py": "tui/widgets/test_grid.py",
        "tui/screens/away.py": "tui/test_app.py",
        "tui/screens/base.py": "tui/test_app.py",
        "tui/screens/confirm.py": "tui/test_app.py",
        "tui/screens/help.py": "tui/test_app.py",
        "tui/spending.py": "tui/screens/test_money.py",
        "tui/widgets/tile.py": "tui/screens/test_overview.py",
        "tui/widgets/topbar.py": "tui/test_app.py",
        "tui/tray/day.py": "tui/tray/test_menu.py",
        "tui/tray/desktop.py": "tui/tray/test_main.py",
        "tui/tray/follower.py": "tui/tray/test_tray.py",
        "tui/tray/notices.py": "tui/tray/test_standing.py",
        "tui/tray/panel.py": "tui/tray/test_main.py",
        "tui/tray/states.py": "tui/tray/test_icons.py",
        "tui/tray/x_window.py": "tui/tray/test_main.py",
        "tui/web/door.py": "tui/web/test_server.py",
        "tui/web/sitting.py": "tui/web/test_server.py",
    }
    for path in SOURCES:
        own = path.relative_to(ROOT)
        test = ROOT / "tests" / elsewhere.get(own.as_posix(), (own.parent / f"test_{own.name}").as_posix())
        assert test.exists(), f"{own} has no {test.relative_to(ROOT)}"


def test_import_contracts() -> None:
    """Who may import whom, as import-linter holds it."""
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_other_distribution_has_our_names() -> None:
    """Nothing else in this environment installs a package called like ours."""
    rivals = {
        found.metadata["Name"]
        for found in distributions()
        for file in found.files or ()
        if len(file.parts) > 1 and file.parts[0] in PACKAGES and file.suffix == ".py"
    }
    assert rivals <= {"nearloop"}


def tracked() -> list[Path]:
    """Files of the repository; outside of one (an unpacked archive) nothing is to be checked."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    return [ROOT / file for file in done.stdout.split("\0") if file and (ROOT / file).is_file()]


def test_repository_names_no_registry() -> None:
    """No file names a package registry's host, and no lock file with addresses is kept."""
    hosts = re.compile("|".join(("py" + r"pi\.org", "python" + "hosted", "npm" + r"js\.(org|com)")))
    for path in tracked():
        assert path.name not in ("uv.lock", "poetry.lock", "package-lock.json")
        shipped = path.is_relative_to(ROOT / "assets" / "models")  # with provenance: test_shipped_models.py
        assert path.stat().st_size < (25_000_000 if shipped else 5_000_000), path
        if path.suffix not in (".db", ".png", ".bin"):
            assert not hosts.search(path.read_text(errors="replace")), path


def test_pins_agree() -> None:
    """The hash-pinned requirements hold the versions that the constraints name, and what we ask for is pinned."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    constraints = {
        tuple(pin.partition(" ;")[0].split("==")) for pin in pyproject["tool"]["uv"]["constraint-dependencies"]
    }
    text = (ROOT / "installers" / "requirements.txt").read_text()
    pinned = set(re.findall(r"^([a-z0-9._-]+)==([^ \\;]+)", text, re.MULTILINE))

    assert pinned
    assert pinned <= constraints
    names = {name for name, _ in pinned}
    for wanted in pyproject["project"]["dependencies"]:
        assert re.match(r"[a-z0-9-]+", wanted)[0] in names  # type: ignore[index]
    assert len(re.findall("--hash=sha256:", text)) >= len(pinned)
