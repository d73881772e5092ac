"""Who may be asked beyond this machine's own models, how they do, what they cost today, and their keys."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from tui.link import TROUBLE, Link
from tui.panels.writing import said
from tui.screens.choose import Choose
from tui.screens.confirm import Confirm
from tui.screens.form import Field, Form
from tui.screens.parted import Parted
from tui.spending import Spending
from tui.tables.providers import Asked, Test, asked, detail, row
from tui.tables.sums import apart, cost
from tui.tones import Toned
from tui.widgets.grid import Column, Row
from tui.words import counted, plain

MOST: Final = 1000
"""Records of today that are read at most."""
_PLACES: Final[dict[str | None, Literal["device", "lan", "cloud"] | None]] = {
    None: None, "device": "device", "lan": "lan", "cloud": "cloud"
}  # fmt: skip
ANOTHER: Final = "another one, by its address"
FIELDS: Final = (
    Field("name", "Name", "by which programs ask for it: NAME/MODEL"),
    Field("base_url", "Address", "https://…, up to and with the version"),
    Field("models", "Models", "all that it has; several with commas between them"),
    Field("key", "Key", "keyring; or env:NAME, file:PATH, credential:NAME, none"),
    Field("place", "Place", "by its address; or device, lan, cloud"),
)


DAY_USD: Final = 5.0
"""What a cloud may cost a day if nothing else is said when its key is typed."""


def read_limit(told: str, known: float | None) -> float | UnsetType | None:
    """What may be spent a day. told: an amount, `none`, or nothing: the usual one, or what is known already. Raises
    ValueError.
    """
    if not told:
        return DAY_USD if known is None else UNSET
    if told == "none":
        return None
    try:
        usd = float(told)
    except ValueError:
        usd = -1.0
    if not 0 <= usd < float("inf"):
        raise ValueError("a limit is an amount in USD from 0 on, or none; the key has to be typed again")
    return usd


class Providers(Parted):
    """In the order of the settings."""

    COLUMNS = (
        Column("", 1),
        Column("Provider", 12, grows=1),
        Column("Where", 14),
        Column("Key", 14),
        Column("Health", 15, grows=1),
        Column("Today", 12, right=True),
        Column("Calls", 5, rank=1, right=True),
        Column("Models", 20, rank=2, grows=2),
        Column("Speaks", 11, rank=4),
        Column("Address", 28, rank=3, grows=1),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Add"),
        Binding("t", "test", "Test"),
        Binding("s", "set_key", "Set key"),
        Binding("x", "remove_key", "Remove key"),
        Binding("d,delete", "remove", "Remove", key_display="d"),
        Binding("r", "again", "Look again", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "A test asks a provider for its models with its key; no request of yours is sent, and it leaves a receipt.",
        "A key goes into the keyring of the operating system, and is never shown again; of several, the next one is "
        "used where one is refused.",
        "a and d write into the settings: who was added is asked, and who was removed no longer, "
        "once the daemon starts anew.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._providers: dict[str, wire.ProviderInfo] | None = None
        self._tests: dict[str, Test] = {}
        self._asked: dict[str, Asked] = {}
        self._spending = Spending(self, self.paint)

    def on_mount(self) -> None:
        super().on_mount()
        self._spending.watch()

    def show(self, kinds: frozenset[str]) -> None:
        if self.link.trouble is None:
            self._spending.hear(kinds)
        if kinds & {"state", "settings"}:
            self._look()
        if kinds & {"state", "record", "settings", "purged"}:
            self.paint()

    def paint(self) -> None:
        midnight = self.link.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        self._asked = asked(self.link.picture.records.values(), midnight)
        super().paint()

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        """The providers, and the rest of today's records."""
        if (found := await self.told(lambda client: client.providers())) is None:
            return
        self._providers = {each.name: each for each in found.providers}
        self.paint()
        now = self.link.now().astimezone()
        since = f"{now.hour * 3600 + now.minute * 60 + now.second + 1}s"
        if (records := await self.told(lambda client: client.records(since, MOST))) is not None:
            self.link.picture.add(records.records)
            self.paint()

    def rows(self) -> list[Row]:
        found = (self._providers or {}).values()
        return [Row(each.name, row(each, self._of(each.name), self._tests.get(each.name))) for each in found]

    def _of(self, name: str) -> Asked:
        return replace(self._asked.get(name, Asked()), today=self._spending.of(name))

    def line(self) -> Content:
        if self._providers is None:
            return said(Toned("asking for the providers …", "muted"))
        whole = self._spending.whole
        told = f" ({apart(whole)})" if whole.unpriced or whole.plan else ""
        missing = sum(each.trouble is not None for each in self._providers.values())
        parts = [Toned(f"{counted(len(self._providers), 'provider')} · {cost(whole)}{told} today")]
        if missing:
            parts.append(Toned(f" · {counted(missing, 'key')} missing", "bad"))
        if self.link.picture.local_only:
            parts.append(Toned(" · local-only: none beyond this machine is asked", "good"))
        return said(*parts)

    def _here(self) -> wire.ProviderInfo | None:
        return (self._providers or {}).get(self.key or "")

    def detail(self, width: int) -> list[Content]:
        if self._providers is None:
            return []
        return detail(self._here(), self._of(self.key or ""), self._tests.get(self.key or ""), width)

    def action_again(self) -> None:
        """Ask the keyring and the settings anew."""
        self._look()

    @work(group="add")
    async def action_add(self) -> None:
        """Somebody who may be asked: a known vendor, or any address."""
        if (found := await self.told(lambda client: client.vendors())) is None:
            return
        vendors = {each.name: each for each in found if each.name not in (self._providers or {})}

        def chosen(name: str | None) -> None:
            if name is not None:
                self._fill_in(vendors.get(name), {"name": name} if name in vendors else {})

        self.app.push_screen(Choose("Who may be asked?", (*vendors, ANOTHER)), chosen)

    def _fill_in(self, vendor: wire.KnownVendor | None, typed: dict[str, str], trouble: str | None = None) -> None:
        """The form, once more if the daemon had something against what was typed."""
        about = "It is written into the settings, and asked once the daemon starts anew. "
        known = vendor is not None and not vendor.needs_address
        about += "A known vendor needs no more than its name." if known else "It needs a name and an address."
        if vendor is not None and not vendor.tested:
            about += " This one is known from its documentation alone, and was never tried."
        fields = [
            each._replace(
                placeholder=vendor.base_url if vendor.needs_address else f"{vendor.base_url}, which is its own"
            )
            if vendor and each.key == "base_url"
            else each
            for each in FIELDS
        ]

        def done(words: dict[str, str] | None) -> None:
            if words is not None:
                self._add(vendor, words)

        self.app.push_screen(Form("A provider", about, fields, typed, trouble), done)

    @work(group="add", description="add a provider")
    async def _add(self, vendor: wire.KnownVendor | None, typed: dict[str, str]) -> None:
        place = typed.get("place")
        if place not in _PLACES:
            self._fill_in(vendor, typed, "place is device, lan or cloud, or nothing: then the address decides")
            return
        models = tuple(filter(None, (each.strip() for each in typed.get("models", "").split(","))))
        wanted = wire.NewProvider(
            typed.get("name", ""), typed.get("base_url"), None, models, typed.get("key"), _PLACES[place]
        )
        try:
            added = await self.link.call(lambda client: client.add_provider(wanted))
        except TROUBLE as trouble:
            self._fill_in(vendor, typed, str(trouble))
            return
        for note in added.notes:
            self.notify(plain(note), markup=False)
        for warning in added.warnings:
            self.notify(plain(warning), severity="warning", markup=False, timeout=10)
        self._look()
        if added.provider.key == "keyring" and added.provider.trouble is not None:
            self._ask_key(added.provider.name)

    def action_remove(self) -> None:
        """Take it out of the settings, after a yes."""
        here = self._here()
        if here is None:
            return
        if here.removed:
            self.notify("It is out of the settings already", severity="warning")
            return
        name, kept = here.name, here.key == "keyring" and here.trouble is None
        key = " Its key stays in the keyring; x deletes that, and has to come first." if kept else ""
        question = f"Take {plain(name)} out of the settings? It is asked until the daemon starts anew.{key}"
        self.app.push_screen(Confirm(question, "Remove"), lambda yes: self._take_out(name, yes))

    def _take_out(self, name: str, yes: bool | None) -> None:
        if yes:
            self._gone(name)

    @work(group="add", description="remove a provider")
    async def _gone(self, name: str) -> None:
        if await self.told(lambda client: client.remove_provider(name)) is not None:
            self._changed(name, f"{name} is no longer in the settings: `nearloop down` and `nearloop up` end it")

    @work(group="test")
    async def action_test(self) -> None:
        """Ask it for its models."""
        if (here := self._here()) is None:
            return
        try:
            self._tests[here.name] = await self.link.call(lambda client: client.test_provider(here.name))
        except TROUBLE as trouble:
            self._tests[here.name] = str(trouble)
        self.paint()

    def action_set_key(self) -> None:
        """Type a key that nobody sees, for the keyring."""
        if (here := self._here()) is not None:
            self._ask_key(here.name)

    def _ask_key(self, name: str, limit: str = "", trouble: str | None = None) -> None:
        """A key, and at a cloud what may be spent there a day; the limit once more if it was none, the key never again."""
        here = (self._providers or {}).get(name)
        cloud = here is None or here.place == "cloud"
        known = here.day_usd if here is not None else None
        usual = f"${known:g}, as it is" if known is not None else f"${DAY_USD:g}"

        def typed(words: dict[str, str] | None) -> None:
            if not words or "key" not in words:
                return
            told = words.get("limit", "").removeprefix("$").strip().lower()
            try:
                day_usd = read_limit(told, known) if cloud else UNSET
            except ValueError as error:
                self._ask_key(name, told, str(error))
                return
            self._keep(name, words["key"], words.get("label"), day_usd)

        fields = [Field("key", "Key", "is not shown", secret=True)]
        if cloud:
            fields.append(Field("limit", "USD a day", f"{usual}; another amount, or none"))
        fields.append(Field("label", "Label", "the first key; a name such as spare for a further one"))
        about = "It goes into the keyring of the operating system, and is not shown again."
        before = {"limit": limit} if limit else {}
        self.app.push_screen(Form(f"The key of {plain(name)}", about, fields, before, trouble), typed)

    @work(group="key", description="keep a key")  # else Textual would describe it by its arguments
    async def _keep(self, name: str, key: str, label: str | None, day_usd: float | UnsetType | None) -> None:
        if await self.told(lambda client: client.set_key(name, key, label, day_usd)) is not None:
            self._changed(name, f"The key of {name} is in the keyring")

    def action_remove_key(self) -> None:
        """Delete its key from the keyring, after a yes."""
        if (here := self._here()) is not None:
            name = here.name

            def answered(yes: bool | None) -> None:
                if yes:
                    self._remove(name)

            self.app.push_screen(Confirm(f"Delete the key of {plain(name)} from the keyring?", "Delete"), answered)

    @work(group="key")
    async def _remove(self, name: str) -> None:
        if await self.told(lambda client: client.remove_key(name)) is not None:
            self._changed(name, f"The key of {name} is deleted")

    def _changed(self, name: str, words: str) -> None:
        self._tests.pop(name, None)
        self.notify(words, markup=False)
        self._look()
