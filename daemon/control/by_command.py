"""What the daemon has no library for and shall have none: another command of ours finds it out, and prints it as JSON."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from daemon.errors import NearloopError
from daemon.own_command import answer, command

T = TypeVar("T")


async def told(shape: type[T], *arguments: str) -> T:
    """What `nearloop ARGUMENTS` prints. Raises BadRequest in its words."""
    printed = await answer(command(*arguments))
    try:
        return msgspec.json.decode(printed, type=shape)
    except msgspec.DecodeError as error:
        raise NearloopError(
            f"`nearloop {' '.join(arguments)}` printed something else: is it another version?"
        ) from error
