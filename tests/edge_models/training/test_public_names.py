"""The list of public names: how it is read from sources."""

from __future__ import annotations

import json
from pathlib import Path

from daemon.signals.code import public
from edge_models.training import public_names

ROOT = Path(__file__).resolve().parents[3]


def test_names_are_read_from_sources_of_each_kind(tmp_path: Path) -> None:
    """Definitions, arguments and exports count; comments and private parts don't; of packages what two files have."""
    for place, text in {
        "library/io.pyi": "class TextReader:\n    def read_line(self, max_chars: int) -> str: ...\n    _hidden: int\n",
        "package/__init__.py": "from package.own import shown_one\n",
        "package/own.py": "def shown_one(): ...\ndef only_here(): ...\n",
        "types/index.d.ts": "/* notNamed */ declare function loadThing(): void; // norThis",
        "words/list": "ledger\nledgers\nKestrel\n",
    }.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text)
    kinds = {"python": "library", "packages": "package", "typescript": "types", "words": "words/list"}

    names, words, told = public_names.gathered(f"{kind}:{tmp_path / place}" for kind, place in kinds.items())

    assert {"textreader", "readline", "maxchars", "shownone", "loadthing", "import"} <= names
    assert not {"hidden", "onlyhere", "notnamed", "northis"} & names
    assert words == {"ledger"}
    assert told["typescript types"] == 4


def test_both_ends_take_the_same_endings_off() -> None:
    """What the maker leaves out is what the reader finds."""
    assert public_names.ENDINGS == public._ENDINGS


def test_the_shipped_list_is_small_and_says_where_it_is_from() -> None:
    """At most 300 kB, with a licence for each source."""
    folder = ROOT / "assets" / "names"
    sources = json.loads((folder / "SOURCES.json").read_text())["sources"]

    assert (folder / "public.txt.xz").stat().st_size <= 300_000
    assert all(source["licence"] and source["names"] for source in sources)
    assert public.public_names().knows("readLine")
    assert public.public_names().is_word("invoices")
    assert not public.public_names().knows("acmepay_ledger")
