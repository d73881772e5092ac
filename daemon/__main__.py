"""`nearloopd`: the daemon without a terminal, as services and `nearloop up -d` start it."""

from __future__ import annotations

import argparse
import logging
import sys

from daemon.cli.main import EXIT_FAILED, exit_status, in_words
from daemon.errors import NearloopError
from daemon.launch import run
from daemon.paths import paths


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return port


def main() -> None:
    """Run until stopped. The last line on standard error says why it did not start."""
    parser = argparse.ArgumentParser(
        prog="nearloopd", description="The Nearloop daemon in the foreground, for services."
    )
    parser.add_argument("--port", type=_port, help="listen there instead of 6327; 0 takes any free port")
    args = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    try:
        run(paths(), args.port, lambda discovery: None, lambda event: None)
    except NearloopError as error:
        sys.stderr.write(f"nearloop: {error}\n")
        sys.exit(exit_status(error))
    except OSError as error:
        sys.stderr.write(f"nearloop: {in_words(error)}\n")
        sys.exit(EXIT_FAILED)


if __name__ == "__main__":
    main()
