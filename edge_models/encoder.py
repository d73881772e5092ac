"""An encoder's body: a tokenizer, a graph, and a walk over a text's windows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from edge_models.encoder_config import EncoderConfig, read_config
from edge_models.engines.base import Broken, Unavailable
from edge_models.pooling import Floats, Ids
from edge_models.runtimes.base import Placement, Runtime, feeds_of
from edge_models.runtimes.registry import load_runtime
from edge_models.tokenizer import Tokenizer, Window

WARM_UP: Final = "the first run of a graph allocates what later ones reuse"


class Encoder:
    """One model. outputs: names of what is wanted of the graph, the best first; the graph's only output will do too."""

    def __init__(self, config: EncoderConfig, tokenizer: Tokenizer, runtime: Runtime, outputs: tuple[str, ...]) -> None:
        if config.vocab_size and tokenizer.vocabulary > config.vocab_size:
            raise Unavailable(
                f"the tokenizer knows {tokenizer.vocabulary} tokens and the model {config.vocab_size}: they do not"
                " belong together, fetch the model again, whole"
            )
        named = [name for name in outputs if name in runtime.outputs]
        if not named and len(runtime.outputs) != 1:
            raise Unavailable(
                f"the model gives {', '.join(runtime.outputs)}, and {outputs[0]} is wanted: export it again"
            )
        self.config = config
        self.tokenizer = tokenizer
        self.runtime = runtime
        self._output = named[0] if named else runtime.outputs[0]

    def walk(self, text: str) -> Iterator[tuple[Window, Ids, Floats]]:
        """Each window of a text with its mask (1, tokens) and what the graph gives for it, (1, …). Raises Broken."""
        return self.read(self.tokenizer.windows(text))

    def read(self, windows: Iterable[Window]) -> Iterator[tuple[Window, Ids, Floats]]:
        """The same for windows that are cut already. Raises Broken."""
        for window in windows:
            feeds, mask = feeds_of(window.ids, window.type_ids, self.runtime)
            values = self.runtime.run(feeds, self._output)
            if not np.isfinite(values).all():
                raise Broken("the encoder gives no numbers for a text: its model may be damaged, fetch it again")
            yield window, mask, values

    def probe(self) -> tuple[int, ...]:
        """The shape of what the graph gives for a short text, which also warms it up. Raises Unavailable, Broken."""
        for _, _, values in self.walk(WARM_UP):
            return tuple(values.shape)
        raise Unavailable("the encoder's tokenizer makes no token of a plain sentence: fetch the model again")

    def close(self) -> None:
        """Give memory back."""
        self.runtime.close()


def open_encoder_body(directory: Path, runtime: str, placement: Placement, outputs: tuple[str, ...]) -> Encoder:
    """Read a directory. Raises NotInstalled, Unavailable."""
    config = read_config(directory)
    module = load_runtime(runtime)
    file = next((directory / name for name in module.FILES if (directory / name).is_file()), None)
    if file is None:
        raise Unavailable(
            f"the encoder's directory has none of {', '.join(module.FILES)}: fetch it again, or export it"
        )
    window = placement.static_tokens or config.window_tokens
    tokenizer = Tokenizer(directory / "tokenizer.json", min(window, config.window_tokens))
    return Encoder(config, tokenizer, module.load(file, placement), outputs)
