"""TOML: tables at the end, values where they are."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from daemon.connecting.merging import Unreadable, brought_in
from daemon.connecting.toml_text import merge_toml
from tests.fakes.texts import PATIENT

CONFIG = """# mine
model = "gpt"  # the usual
[model_providers.acme]   # work
name='Acme'
base_url = "https://example.invalid/v1"

[mcp_servers."odd name"]
command = "x"
# end
"""
WANTED = {"model_providers": {"nearloop": {"name": "Nearloop", "auth": {"command": "cat", "args": ["/a b"]}}}}
WORDS = st.text(st.sampled_from("ab\"'#=é \n"), max_size=6)
TABLES = st.recursive(
    st.dictionaries(
        WORDS, st.booleans() | st.integers(-9, 9) | WORDS | st.lists(st.integers(0, 9), max_size=2), max_size=3
    ),
    lambda inner: st.dictionaries(WORDS, inner | st.integers(0, 9), max_size=3),
    max_leaves=6,
)


def test_a_table_goes_to_the_end() -> None:
    """All that was there stands as it stood."""
    after = merge_toml(CONFIG, WANTED)

    assert after.startswith(CONFIG)
    assert after.removeprefix(CONFIG) == (
        '\n[model_providers.nearloop]\nname = "Nearloop"\n\n'
        '[model_providers.nearloop.auth]\ncommand = "cat"\nargs = ["/a b"]\n'
    )
    assert merge_toml(after, WANTED) == after


def test_a_value_is_replaced_where_it_is() -> None:
    """With its comment and the blanks around it."""
    after = merge_toml(CONFIG, {"model": "auto", "model_providers": {"acme": {"name": "Other"}}})

    assert after == CONFIG.replace('"gpt"', '"auto"').replace("'Acme'", '"Other"')


def test_windows_line_ends_stay() -> None:
    """In what was there and in what comes."""
    text = CONFIG.replace("\n", "\r\n")

    after = merge_toml(text, WANTED)

    assert after.startswith(text)
    assert "\n" not in after.replace("\r\n", "")


@PATIENT
@given(TABLES, TABLES)
def test_what_comes_out(before: Any, wanted: Any) -> None:
    """It means what it has to, or the text is refused."""
    text = tomlkit.dumps(before)
    try:
        after = merge_toml(text, wanted)
    except Unreadable:
        return
    assert tomllib.loads(after) == brought_in(before, wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb =\n", "line 2: "),
        ("model_providers = { acme = { name = 'x' } }\n", "by hand"),
        ("model_providers = 3\n", "by hand"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    """What is broken, with its line, and tables on one line, which can't be added to."""
    with pytest.raises(Unreadable, match=message):
        merge_toml(text, WANTED)
