"""`nearloopd`: the daemon without a terminal, as services and `nearloop up -d` start it."""

from __future__ import annotations

import argparse
import logging
import sys

from daemon.cli.main import exit_status
from daemon.errors import NearloopError
from daemon.launch import run
from daemon.paths import paths


def main() -> None:
    """Run until stopped. The last line on standard error says why it did not start."""
    parser = argparse.ArgumentParser(
        prog="nearloopd", description="The Nearloop daemon in the foreground, for services."
    )
    parser.add_argument("--port", type=int, help="listen there instead of 6327; 0 takes any free port")
    args = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    try:
        run(paths(), args.port, lambda port: None, lambda event: None)
    except NearloopError as error:
        sys.stderr.write(f"nearloop: {error}\n")
        sys.exit(exit_status(error))


if __name__ == "__main__":
    main()
