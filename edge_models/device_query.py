"""The process that reads the device table, writes it as JSON, and ends."""

from __future__ import annotations

import os

import msgspec

from edge_models import openvino_gate
from edge_models.devices import Refused, Table, read_table
from edge_models.engines.base import EngineError
from edge_models.private_output import own_standard_output, write_all


def main() -> None:
    """Write the table, or why there is none, to this process's standard output."""
    sink = own_standard_output()
    answer: Table | Refused
    try:
        answer = read_table(openvino_gate.core(), openvino_gate.versions().get("openvino", "0"))
    except EngineError as error:
        answer = Refused(str(error))
    write_all(sink, msgspec.json.encode(answer))
    os._exit(0)  # what was asked for is told; no driver gets to hang or crash in its destructors


if __name__ == "__main__":
    main()
