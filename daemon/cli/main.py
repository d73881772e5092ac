"""`nearloop`: the command line. Each command is a file of this package, loaded when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final

import click

from daemon.cli.terminal import guard
from daemon.errors import NearloopError

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_RUNNING: Final = 3
EXIT_NOT_RUNNING: Final = 4

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "setup": ("daemon.cli.setup:setup", "Look at this machine, and put to use what fits it."),
    "demo": ("daemon.cli.demo:demo", "Show in a minute what Nearloop does, without keys and a network."),
    "up": ("daemon.cli.up:up", "Start the daemon."),
    "down": ("daemon.cli.down:down", "Stop the daemon."),
    "status": ("daemon.cli.status:status", "Show the daemon, its models and what needs attention."),
    "tui": ("daemon.cli.tui:tui", "Watch and steer the daemon in this terminal."),
    "devices": ("daemon.cli.devices:devices", "Show what models can run on, and measure it."),
    "ask": ("daemon.cli.ask:ask", "Ask one question."),
    "records": ("daemon.cli.records:records", "List what was answered, or delete it."),
    "receipts": ("daemon.cli.receipts:receipts", "Show what left this machine, and check that nobody changed that."),
    "prove-local": ("daemon.cli.prove_local:prove_local", "Say what left since a time, and from what evidence."),
    "why": ("daemon.cli.why:why", "Explain one answer in words."),
    "feedback": ("daemon.cli.feedback:feedback", "Say whether a local answer was right."),
    "allow": ("daemon.cli.allow:allow", "Let what one request held leave this machine."),
    "approvals": ("daemon.cli.approvals:approvals", "Show what waits for your word, and answer."),
    "local-only": ("daemon.cli.local_only:local_only", "Keep everything on this machine, or let things leave again."),
    "reduce": ("daemon.cli.reduce:reduce", "Show how a text would leave with what could point at somebody taken out."),
    "dictionary": ("daemon.cli.dictionary:dictionary", "Say which words are private, and which are not."),
    "client": ("daemon.cli.client:client", "Give programs tokens of their own, or take them back."),
    "connect": ("daemon.cli.connect:connect", "Have an editor or agent ask Nearloop, and take that back."),
    "models": ("daemon.cli.models:models", "Fetch, adopt, examine and remove model files."),
    "recipe": ("daemon.cli.recipe:recipe", "Check, format, convert, test, explain and compare recipes."),
    "calibrate": ("daemon.cli.calibrate:calibrate", "Measure how sure a local model has to be, on this machine."),
    "signals": ("daemon.cli.signals:signals", "Show what the signals see in a text."),
    "provider": ("daemon.cli.provider:provider", "Say who may be asked beyond this machine's own models."),
    "key": ("daemon.cli.key:key", "Keep providers' keys in the keyring."),
    "spend": ("daemon.cli.spend:spend", "Show what was spent in clouds, and what answers from here saved."),
    "limit": ("daemon.cli.limit:limit", "Say what may be spent in clouds a day and a month."),
    "audit": ("daemon.cli.audit:audit", "Show what coding agents have sent already, from their logs."),
    "bench": ("daemon.cli.bench:bench", "Measure models, ways of answering, and what would leave of private values."),
    "doctor": ("daemon.cli.doctor:doctor", "Look for what is wrong, and say what to do."),
    "train": ("daemon.cli.train:train", "Train the signal heads, or one of your own."),
    "export": ("daemon.cli.export:export", "Turn a Hugging Face directory into a small OpenVINO model."),
    "parity": ("daemon.cli.parity:parity", "Hold encoders to their references."),
    "version": ("daemon.cli.version:version", "Show the version."),
}
"""Name to (where it is, one line of help): the help page needs no command's imports."""

INNER: Final[dict[str, str]] = {
    "worker": "edge_models.worker",
    "device_query": "edge_models.device_query",
    "probe": "edge_models.probe",
    "encoder-worker": "edge_models.encoder_worker",
    "eyes-worker": "edge_models.vision.worker",
}
"""What a frozen program starts itself as, since it has one entry point for all."""


class _Lazy(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="nearloop", message="%(prog)s %(version)s")
def cli() -> None:
    """Answers your AI tools on this laptop, at http://127.0.0.1:6327, and shows what leaves it.

    Start with `nearloop up`.
    """


def exit_status(error: NearloopError) -> int:
    """What the shell is told."""
    match type(error).__name__:
        case "AlreadyRunning":
            return EXIT_RUNNING
        case "NotRunning":
            return EXIT_NOT_RUNNING
        case "BadRequest" | "BadSettings":
            return EXIT_USAGE
        case _:
            return EXIT_FAILED


def main(args: list[str] | None = None) -> Any:
    """The console script."""
    if args is None and getattr(sys, "frozen", False) and sys.argv[1:2] and sys.argv[1] in INNER:
        return import_module(INNER[sys.argv[1]]).main()
    have_streams()
    try:
        return cli.main(args=args, prog_name="nearloop")
    except NearloopError as error:
        click.echo(f"nearloop: {error}", err=True)
        sys.exit(exit_status(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `nearloop records | head` is no error
        sys.exit(0)
    except OSError as error:
        click.echo(f"nearloop: {in_words(error)}", err=True)
        sys.exit(EXIT_FAILED)


def in_words(error: OSError) -> str:
    """What the system refused, and where."""
    where = f" ({error.filename})" if error.filename else ""
    return f"{error.strerror or type(error).__name__}{where}: `nearloop doctor` looks at folders and disk"


def have_streams() -> None:
    """Output may be closed, or a terminal that knows no '…': neither is a reason to fail. A terminal obeys nobody but us."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # for as long as we run
        else:
            stream.reconfigure(errors="replace")
    guard()


if __name__ == "__main__":
    main()
