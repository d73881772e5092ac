"""`nearloop recipe`, as docs/recipes.md shows it and beyond."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from daemon.cli.main import cli
from daemon.signals import shipped

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
PRIVACY: Final = ROOT / "tests" / "recorded" / "vsr" / "config" / "recipes" / "privacy" / "config.yaml"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def recipe(*words: str, input: str | None = None) -> Result:
    """Run the command to its end."""
    return CliRunner().invoke(cli, ["recipe", *words], input=input, catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the page's recipe."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shipped, "folder", lambda: tmp_path / "no models")  # whatever this installation has
    (tmp_path / "laptop.dsl").write_text(blocks("dsl")[0], encoding="utf-8")
    return tmp_path


def test_the_page(folder: Path) -> None:
    """Every command of docs/recipes.md does what the page says, with no daemon; the outputs shown are the outputs."""
    said = {}
    for line in blocks("sh")[0].strip().splitlines():
        name, group, *words = shlex.split(line)
        done = recipe(*words)
        assert (name, group, done.exit_code) == ("nearloop", "recipe", 0), line + done.output
        said[words[0], words[-1]] = done.stdout

    tested, explained = blocks("text")
    assert said["test", "laptop.dsl"] == tested
    assert said["explain", "why this traceback in C++?"] == explained
    assert said["fmt", "laptop.dsl"] == "laptop.dsl is in form\n"
    assert said["diff", "laptop.yaml"] == "no difference\n"
    assert said["check", "laptop.dsl"].endswith("laptop.dsl: good: 1 warning, 2 notes\n")
    without_comments = re.sub(r"  # .*|^# .*\n\n", "", blocks("dsl")[0], flags=re.MULTILINE)
    assert sorted(said["convert", "dsl"].strip().split("\n\n")) == sorted(without_comments.strip().split("\n\n"))


def test_a_process_of_its_own(folder: Path) -> None:
    """The console script needs no daemon, and loads neither an engine nor an HTTP client."""
    code = (
        "import sys; from daemon.cli.main import main\n"
        "try: main(['recipe', 'test', 'laptop.dsl'])\n"
        "finally: print([name for name in ('httpx', 'openvino_genai', 'litestar', 'aiohttp') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert done.stdout.endswith("2 passed, 0 failed, 1 not evaluable\n[]\n"), done.stdout + done.stderr


def test_check(folder: Path) -> None:
    """Faults have file, line, column, key, remedy and a caret; the exit status tells scripts; --json is complete."""
    bad = folder / "bad.yaml"
    bad.write_text("routing:\n  signals:\n    keywords:\n      - {name: k, keywords: [a], method: fuzzy}\n")

    told = recipe("check", "bad.yaml")
    listed = json.loads(recipe("check", "--json", "bad.yaml").stdout)

    assert told.exit_code == 1
    assert told.stdout.splitlines()[0].startswith("bad.yaml:4:42: error: `routing.signals.keywords[0].method`:")
    assert told.stdout.splitlines()[3].endswith("^")
    assert told.stdout.endswith("bad.yaml: not usable: 1 error\n")
    assert (listed[0]["code"], listed[0]["place"], listed[0]["severity"]) == (
        "unknown-value",
        {"line": 4, "column": 42},
        "error",
    )
    assert recipe("check", str(PRIVACY)).exit_code == 0


def test_fmt(folder: Path) -> None:
    """It writes a file in place, keeps its comments and mode, and with --check only says so."""
    file = folder / "ugly.dsl"
    file.write_text("SIGNAL pii p{} # mine\n")
    file.chmod(0o640)

    assert recipe("fmt", "--check", "ugly.dsl").exit_code == 1
    assert file.read_text() == "SIGNAL pii p{} # mine\n"
    assert recipe("fmt", "ugly.dsl").exit_code == 0
    assert file.read_text() == "SIGNAL pii p {}  # mine\n"
    assert recipe("fmt", "--check", "ugly.dsl").exit_code == 0
    assert sorted(each.name for each in folder.iterdir() if "ugly" in each.name) == ["ugly.dsl"]
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o777 == 0o640


def test_fmt_leaves_what_it_cannot_read(folder: Path) -> None:
    """A file with a fault stays as it is; YAML is refused with what to do."""
    (folder / "broken.dsl").write_text("ROUTE r {")
    (folder / "a.yaml").write_text("routing: {}")

    done = recipe("fmt", "broken.dsl")
    yaml = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", "recipe", "fmt", "a.yaml"], capture_output=True, text=True, timeout=60
    )

    assert (done.exit_code, (folder / "broken.dsl").read_text()) == (1, "ROUTE r {")
    assert "broken.dsl:1:10: error: the file ends in the middle of a statement [syntax]" in done.stderr
    assert yaml.returncode == 2
    assert "convert FILE --to dsl" in yaml.stderr


def test_convert_says_what_it_leaves_out(folder: Path) -> None:
    """What is about machines has no words in the language, and is named; YAML keeps it."""
    dsl = recipe("convert", str(PRIVACY), "--to", "dsl")
    yaml = recipe("convert", str(PRIVACY), "--to", "yaml")

    assert [line.split("`")[1] for line in dsl.stderr.splitlines()] == ["listeners", "providers", "global"]
    assert yaml.stderr == ""
    (folder / "again.yaml").write_text(yaml.stdout, encoding="utf-8")
    (folder / "again.dsl").write_text(dsl.stdout, encoding="utf-8")
    assert recipe("diff", str(PRIVACY), "again.yaml").exit_code == 0
    assert recipe("diff", str(PRIVACY), "again.dsl").exit_code == 0


def test_diff(folder: Path) -> None:
    """Each difference is a line; the exit status says whether there is any."""
    text = (folder / "laptop.dsl").read_text(encoding="utf-8")
    (folder / "other.dsl").write_text(
        text.replace("TIER 2", "TIER 4").replace("SIGNAL secret keys", "SIGNAL secret all")
    )

    done = recipe("diff", "laptop.dsl", "other.dsl")

    assert done.exit_code == 1
    assert "~ routing.decisions.code.tier: 2 → 4" in done.stdout.splitlines()
    assert "- routing.signals.secret.keys: {}" in done.stdout.splitlines()
    assert "+ routing.signals.secret.all: {}" in done.stdout.splitlines()
    assert json.loads(recipe("diff", "--json", "laptop.dsl", "other.dsl").stdout)[0]["kind"] in (
        "added",
        "removed",
        "changed",
    )


def test_failed_tests(folder: Path) -> None:
    """One that fails says what was decided instead, and never repeats the question; --strict wants all evaluated."""
    text = (
        (folder / "laptop.dsl")
        .read_text(encoding="utf-8")
        .replace('"hello" -> rest', '"my refactor of canary" -> rest')
    )
    (folder / "laptop.dsl").write_text(text, encoding="utf-8")

    done = recipe("test", "laptop.dsl")

    assert done.exit_code == 1
    assert "default/routes 3: FAILED: code instead of rest" in done.stdout
    assert "canary" not in done.output
    (folder / "laptop.dsl").write_text(blocks("dsl")[0], encoding="utf-8")
    assert recipe("test", "laptop.dsl").exit_code == 0
    assert recipe("test", "--strict", "laptop.dsl").exit_code == 1


def test_a_file_without_tests(folder: Path) -> None:
    """It says so: nothing was shown."""
    (folder / "none.dsl").write_text('ROUTE r { MODEL "m" }')

    assert "none.dsl has no tests" in recipe("test", "none.dsl").stdout


def test_explain(folder: Path) -> None:
    """Text from standard input, other recipes of the file, and the whole trace as JSON."""
    (folder / "two.dsl").write_text(
        'ROUTE r { MODEL "m" } RECIPE other { SIGNAL pii p {} ROUTE q (on_unknown = "match") { WHEN pii("p") MODEL "m" } }'
    )

    piped = recipe("explain", "laptop.dsl", "-", input="card 4111 1111 1111 1111")
    other = json.loads(recipe("explain", "two.dsl", "card 4111 1111 1111 1111", "--recipe", "other", "--json").stdout)

    assert piped.stdout.splitlines()[0] == "decision   stays_here"
    assert "4111" not in piped.stdout
    assert (other["outcome"]["decision"], other["decisions"][0]["rules"]["truth"]) == ("q", "true")
    assert "no decision" not in piped.stdout


def test_doubt_is_told(folder: Path) -> None:
    """What might have been decided otherwise is named, with the signals that are missing."""
    told = recipe("explain", str(PRIVACY), "hello").stdout.splitlines()

    assert told[0] == "decision   none: providers.defaults.default_model answers"
    assert told[1].startswith("doubtful   cloud_frontier_reasoning, ")
    assert told[1].endswith("for want of complexity, embedding, jailbreak, kb")
