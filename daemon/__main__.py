"""`nearloopd`: the daemon without a terminal, as services and `nearloop up -d` start it."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import Final

from daemon.addresses import urls
from daemon.cli.main import EXIT_FAILED, exit_status, have_streams, in_words
from daemon.crashes import keep_words_out
from daemon.errors import NearloopError
from daemon.launch import Wanted, run
from daemon.paths import paths
from daemon.wire import Discovery

log: Final = logging.getLogger("nearloop")


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return port


def _started(discovery: Discovery) -> None:
    if found := urls(discovery.exposed, discovery.port):
        log.warning("other machines can reach this daemon at %s, with a client's token", " and ".join(found))


def main() -> None:
    """Run until stopped. The last line on standard error says why it did not start."""
    parser = argparse.ArgumentParser(
        prog="nearloopd", description="The Nearloop daemon in the foreground, for services."
    )
    parser.add_argument("--port", type=_port, help="listen there instead of 6327; 0 takes any free port")
    parser.add_argument(
        "--host", action="append", default=[], help="an address to listen on besides 127.0.0.1; repeatable"
    )
    parser.add_argument(
        "--expose", action="store_true", help="answer other machines there, if they have a client's token"
    )
    args = parser.parse_args()
    have_streams()
    keep_words_out()
    try:
        run(paths(), Wanted(args.port, tuple(args.host), args.expose), _started, lambda event: None)
    except NearloopError as error:
        sys.stderr.write(f"nearloop: {error}\n")
        sys.exit(exit_status(error))
    except OSError as error:
        sys.stderr.write(f"nearloop: {in_words(error)}\n")
        sys.exit(EXIT_FAILED)


if __name__ == "__main__":
    main()
