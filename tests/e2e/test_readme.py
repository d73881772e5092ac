"""The README, done as it says, by somebody who has nothing: a clean clone, an empty home."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import openai
import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
README: Final = (ROOT / "README.md").read_text()
PORT: Final = 6327


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_ci_runs_the_test_command() -> None:
    """What the README calls the tests is what CI calls."""
    assert blocks("sh")[-1].strip() == "uv run pytest"
    assert re.search(r"^UV_OFFLINE=1 uv run pytest$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_readme(tmp_path: Path) -> None:
    """Two commands start it and answer with the real model; the official client streams; `why` explains."""
    clone, home, tools = tmp_path / "clone", tmp_path / "home", tmp_path / "tools"
    home.mkdir()
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
    kept = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_", "LANG"))}
    path = f"{tools / 'bin'}:{home / '.local' / 'bin'}:/usr/local/bin:/usr/bin:/bin"
    environment = {**kept, "HOME": str(home), "PATH": path}

    def sh(script: str) -> str:
        done = subprocess.run(
            ["bash", "-ec", script], cwd=clone, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    start, curl, commands, _ = blocks("sh")
    up = subprocess.Popen(
        ["bash", "-ec", start],
        cwd=clone,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        assert up.stdout
        told: list[str] = []
        for line in up.stdout:
            told.append(line)
            if line.strip().startswith("curl "):
                break
        assert told[-1].strip() == curl.strip(), "".join(told)

        (choice,) = json.loads(sh(curl))["choices"]
        assert choice["message"]["content"].strip()  # a sampled answer: what it says, nobody can foretell
        (python,) = blocks("python")
        assert sh(f"uv run python - <<'END'\n{python}END").strip()
        with openai.OpenAI(base_url=f"http://127.0.0.1:{PORT}/v1", api_key="none", max_retries=0) as client:
            raw = client.chat.completions.with_raw_response.create(
                model="local", messages=[{"role": "user", "content": "What is 2 + 2?"}], temperature=0
            )
            whole = raw.parse().choices[0].message.content
            stream = client.chat.completions.create(
                model="local",
                messages=[{"role": "user", "content": "What is 2 + 2?"}],
                temperature=0,
                stream=True,
                max_tokens=40,
            )
            pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
        assert (whole or "").strip()
        assert len([piece for piece in pieces if piece]) > 2
        why = sh(f"uv run nearloop why {raw.headers['x-nearloop-record'][:8]}")
        assert "local/smollm2-135m-instruct answered on this machine (openvino-genai on CPU)" in why
        assert "Nothing left this machine." in why
        said = sh(commands).splitlines()
        assert said[0].strip()  # the model's own words, which nobody can foretell
        assert said[-1] == "Nearloop is down."
        assert up.communicate(timeout=30)[0].endswith("Nearloop is down.\n")
        assert up.returncode == 0
    finally:
        if up.poll() is None:
            os.killpg(up.pid, signal.SIGKILL)
        up.communicate()
    shutil.rmtree(home)
