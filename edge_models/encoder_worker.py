"""A worker for one encoder whose files nobody vouches for.

A graph, weights and a tokenizer.json from somewhere are hostile input to native code, so they are read in a process that
can die alone (`confined_worker.py`). A regular expression in a tokenizer.json can run for years, so every command has its
time; and from Open on it has so much memory and no more.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import BinaryIO

from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.entailment import EntailmentHead
from edge_models.classifiers.opening import Opened as Encoder
from edge_models.classifiers.opening import open_encoder
from edge_models.classifiers.sequence import SequenceClassifier
from edge_models.classifiers.tokens import TokenHead
from edge_models.confined_worker import bounded, capped, run, too_much
from edge_models.confinement import out_of_memory
from edge_models.encoder_ipc import (
    Ask,
    EncoderCommand,
    EncoderEvent,
    Open,
    Opened,
    Spans,
    decode_command,
    frame,
    rows_of,
)
from edge_models.engines.base import EngineError, Unseen
from edge_models.ipc import PROTOCOL, Failed, Hello
from edge_models.runtimes.registry import load_runtime


def look(encoder: Encoder, ask: Ask) -> EncoderEvent:
    """Answer one Ask. Raises Broken, TextTooLong, Unseen."""
    match encoder:
        case TokenHead():
            return Spans(ask.id, encoder.spans(ask.texts))
        case SequenceClassifier():
            return rows_of(ask.id, encoder.predict(ask.texts))
        case EntailmentHead():
            return rows_of(ask.id, encoder.judge(ask.pairs))
        case TextEmbedder():
            return rows_of(ask.id, encoder.embed(ask.texts))
        case _:
            return rows_of(
                ask.id, encoder.embed_pictures(ask.pictures) if ask.pictures else encoder.embed_texts(ask.texts)
            )


def serve(
    receive: Callable[[], EncoderCommand],
    send: Callable[[EncoderEvent], None],
    nowhere: BinaryIO,
    confinement: tuple[str, ...],
) -> None:
    """Open one encoder and answer until the process ends. confinement: what holds it. Raises EngineError if it can't be."""
    first = receive()
    assert isinstance(first, Open), "the first command has to be Open"
    cap_bytes = first.memory_cap_bytes
    confinement += capped(send, cap_bytes, out_of_memory.ENCODER_REMEDY)
    try:
        with bounded(first.timeout_s, nowhere):
            versions = load_runtime(first.ref.runtime).versions()
            send(Hello(PROTOCOL, first.ref.runtime, versions, os.getpid(), confinement))
            encoder = open_encoder(first.ref)
    except (EngineError, MemoryError) as error:
        raise too_much(error, cap_bytes, out_of_memory.ENCODER_REMEDY) from error
    send(Opened(encoder.about))
    while True:
        ask = receive()
        assert isinstance(ask, Ask), "a worker opens one encoder in its life"
        try:
            with bounded(ask.timeout_s, nowhere):
                send(look(encoder, ask))
        except (EngineError, MemoryError) as error:
            broken = too_much(error, cap_bytes, out_of_memory.ENCODER_REMEDY)
            send(Failed(ask.id, type(broken).__name__, broken.code if isinstance(broken, Unseen) else str(broken)))
        except ValueError:  # of `frame`
            send(Failed(ask.id, "Broken", "the answer is larger than a worker may send: ask for fewer texts at once"))


def main() -> None:
    """Run a worker on this process's standard input and output."""
    run(serve, decode_command, frame)


if __name__ == "__main__":
    main()
