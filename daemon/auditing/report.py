"""What the audit found, as counts: no value, no word of a conversation. Names of projects are the user's own folders."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from daemon.auditing.staying import Device


class ClassCount(Struct, frozen=True):
    """One class of what was found. values: distinct ones. requests: that carried at least one of them. tools: values by
    tool.

    first, last: when one was first and last sent.
    """

    signal: str
    label: str
    values: int
    requests: int
    tools: dict[str, int]
    first: datetime | None = None
    last: datetime | None = None


class ToolCount(Struct, frozen=True):
    """One program. requests: to a provider. local_requests: to a server of the user's own. secrets, personal: distinct
    values.

    turns: the user's, that were answered by a provider. staying: of those, that could have been answered here.
    prompt_tokens, answer_tokens: as far as logs count them. cost_usd: of `priced` requests; of the others the price or
    the tokens are unknown. opaque: pictures and documents, that nobody looked at.
    """

    name: str
    title: str
    files: int = 0
    turns: int = 0
    staying: int = 0
    requests: int = 0
    local_requests: int = 0
    exposed_requests: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    priced: int = 0
    cost_usd: float = 0.0
    secrets: int = 0
    personal: int = 0
    opaque: int = 0


class ProjectCount(Struct, frozen=True):
    """One folder that programs worked in, and how many distinct values went out of it."""

    path: str
    secrets: int
    personal: int


class Skipped(Struct, frozen=True):
    """What was left out. files: that could not be opened. records: that could not be read. torn: last ones without an
    end.

    unread: texts that the trained heads could not read; rules did.
    """

    files: int = 0
    records: int = 0
    torn: int = 0
    unread: int = 0


class Report(Struct, frozen=True):
    """The report card. complete: False if it was interrupted. deep: whether the trained heads looked too.
    exposed_requests: that carried any find. prices_as_of: the day that the table of prices was read.
    """

    complete: bool
    deep: bool
    first: datetime | None
    last: datetime | None
    classes: tuple[ClassCount, ...]
    tools: tuple[ToolCount, ...]
    projects: tuple[ProjectCount, ...]
    skipped: Skipped
    device: Device
    prices_as_of: str

    @property
    def secrets(self) -> int:
        """Distinct ones."""
        return sum(each.values for each in self.classes if each.signal == "secret")

    @property
    def personal(self) -> int:
        """Distinct values of personal data."""
        return sum(each.values for each in self.classes if each.signal != "secret")

    @property
    def turns(self) -> int:
        """Of all tools."""
        return sum(tool.turns for tool in self.tools)

    @property
    def staying(self) -> int:
        """Turns that could have been answered here."""
        return sum(tool.staying for tool in self.tools)

    @property
    def requests(self) -> int:
        """That went to providers."""
        return sum(tool.requests for tool in self.tools)

    @property
    def exposed_requests(self) -> int:
        """That carried a find."""
        return sum(tool.exposed_requests for tool in self.tools)

    @property
    def cost_usd(self) -> float:
        """As far as it is known."""
        return sum(tool.cost_usd for tool in self.tools)

    @property
    def priced(self) -> int:
        """Requests whose price is known."""
        return sum(tool.priced for tool in self.tools)
