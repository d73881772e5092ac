"""What a start says to the terminal: progress while the model is prepared, then how to use it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from daemon.addresses import urls
from daemon.cli.terminal import steer
from daemon.health import BETTER_MODEL
from daemon.wire import Discovery, Model

BAR_WIDTH: Final = 30
_STAGE: Final = {
    "preparing": "preparing the model (only this once)",
    "loading": "loading the model",
    "restarting": "starting the model again",
}
QUESTION: Final = '{"model": "local", "messages": [{"role": "user", "content": "What is 2 + 2?"}]}'


class Announcer:
    """Follows one model until it is ready or has failed. `settled` says that there is nothing more to wait for."""

    def __init__(self, discovery: Discovery, admin_token: Path) -> None:
        self._discovery = discovery
        self._url = f"http://127.0.0.1:{discovery.port}"
        self._admin_token = admin_token
        self._tty = sys.stdout.isatty()
        self._stage = ""
        self._name: str | None = None
        self.settled = False

    def started(self) -> None:
        """The port answers."""
        ollama, trouble = self._discovery.ollama_port, self._discovery.ollama_trouble
        click.echo(f"Nearloop is up at {self._url}" + (f" and http://127.0.0.1:{ollama}" if ollama else ""))
        for url in urls(self._discovery.exposed, self._discovery.port):
            click.echo(f"Warning: other machines can reach it at {url}, with a client's token and over plain HTTP.")
        if trouble:
            click.echo(f"Warning: {trouble}, so Ollama's clients are answered at {self._url} alone.")

    def model(self, model: Model) -> None:
        """A model changed; only the default one is followed."""
        self._name = self._name or model.name
        if model.name != self._name or (self.settled and model.state == "ready"):
            return
        match model.state:
            case "ready":
                self._clear()
                self._ready(model.demonstration)
                self.settled = True
            case "failed":
                self._clear()
                click.echo(f"{self._name} can't be loaded: {model.error}")
                click.echo("The daemon runs on without a model; `nearloop doctor` says more.")
                self.settled = True
            case "preparing" | "loading" | "restarting" as stage:
                self._progress(stage, model.fraction)

    def _progress(self, stage: str, fraction: float | None) -> None:
        if self._tty:
            bar = ""
            if fraction is not None:
                done = round(BAR_WIDTH * fraction)
                bar = f"{'█' * done}{'░' * (BAR_WIDTH - done)} {fraction:4.0%}  "
            steer(f"\r{bar}{_STAGE[stage]} …\x1b[K")
        elif stage != self._stage:
            click.echo(f"{_STAGE[stage]} …")
        self._stage = stage

    def _clear(self) -> None:
        if self._tty:
            steer("\r\x1b[K")

    def _ready(self, demonstration: bool) -> None:
        click.echo(f"""
  model   {self._name}
  OpenAI  {self._url}/v1     (any API key will do for answers on this machine)
  Ollama  {self._url}
  token   {self._admin_token}     (for nearloop's own commands)

  Try it:

    curl {self._url}/v1/chat/completions -H 'Content-Type: application/json' -d '{QUESTION}'
""")
        if demonstration:
            click.echo("The embedded model is a demonstration: it shows that everything works, its answers are weak.")
            click.echo(f"For a better one, {BETTER_MODEL}.")
