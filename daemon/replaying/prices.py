"""What a recorded answer cost: prices by the token, of the user's, and tokens by the length of words.

Any unit of money will do, also sizes of models in its place, since costs are only ever told against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from daemon.errors import BadRequest
from daemon.replaying.recordings import Item, content

CHARS: Final = 4
"""Of a token."""
_Money = Annotated[float, Meta(ge=0)]


class Price(Struct, frozen=True):
    """Of a token that is read, and of one that is written; the names are those of LLMRouter's files."""

    input_price: _Money
    output_price: _Money


_decode: Final = msgspec.json.Decoder(dict[str, Price]).decode


def call_cost(prices: Mapping[str, Price], item: Item, model: str) -> float:
    """Of one answer. Where its words aren't recorded, of the question alone."""
    price, said = prices[model], item.answers[model]
    written = len(said.text) if said.worded else 0
    return (len(item.question) * price.input_price + written * price.output_price) / CHARS


def read_prices(file: Path | None, told: Sequence[str], models: Iterable[str]) -> dict[str, Price]:
    """Of each model. file: JSON, `{MODEL: {"input_price": …, "output_price": …}}`; told: `MODEL=IN` or `MODEL=IN/OUT`, which
    goes first. Raises BadRequest for what can't be read, and if a price is missing.
    """
    known = _of_file(file) if file else {}
    known |= dict(map(_told, told))
    missing = [model for model in models if model not in known]
    if missing:
        raise BadRequest(
            f"no price is known of {', '.join(missing)}: say --price {missing[0]}=IN/OUT, or --prices FILE"
        )
    return {model: known[model] for model in models}


def _of_file(file: Path) -> dict[str, Price]:
    try:
        return _decode(content(file))
    except msgspec.MsgspecError as error:
        raise BadRequest(
            f'{file} has no prices: it takes {{"MODEL": {{"input_price": 1, "output_price": 2}}}}'
        ) from error


def _told(text: str) -> tuple[str, Price]:
    model, _, numbers = text.rpartition("=")
    read, _, written = numbers.partition("/")
    try:
        price = Price(float(read), float(written or read))
    except ValueError as error:
        raise BadRequest("a price is MODEL=IN or MODEL=IN/OUT, with numbers") from error
    if not model or not all(0 <= each < float("inf") for each in (price.input_price, price.output_price)):
        raise BadRequest("a price is MODEL=IN or MODEL=IN/OUT, with numbers from 0 on")
    return model, price
