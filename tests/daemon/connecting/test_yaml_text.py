"""YAML: read with places, added to, and refused with the line."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from daemon.connecting.merging import Unreadable, brought_in, merge, plain
from daemon.connecting.yaml_text import Yaml
from tests.fakes.texts import PATIENT, in_order

CONFIG = """# my assistant
name: Mine
models:
- name: "GPT"   # the old one
  provider: openai
  roles:
    - chat

  # trailing
- name: 'two'
  prompt: |
    be brief

# rules follow
rules: []
"""
WORDS = st.text(st.sampled_from("ab: #-é'\"{}[],\n"), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**6) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("pqrs"), inner, max_size=3),
    max_leaves=10,
)


def written(value: Any, seed: int) -> str:
    """As a person would write it: some width, some style, comments between lines where no text goes on."""
    chosen = random.Random(seed)
    text: str = yaml.safe_dump(
        value,
        indent=chosen.choice([2, 4]),
        default_flow_style=chosen.choice([True, False, None]),
        explicit_start=chosen.random() < 0.3,
        allow_unicode=True,
        sort_keys=False,
        width=1000,
    )
    return chosen.choice(["", "# first\n"]) + text + chosen.choice(["", "\n", "# last\n", "\n\n# last"])


@PATIENT
@given(VALUES, st.integers(0, 10**6))
def test_what_was_written_is_read(value: Any, seed: int) -> None:
    """Whatever the style."""
    node = Yaml().read(written(value, seed))

    assert (plain(node) if node else None) == value


@PATIENT
@given(
    st.dictionaries(st.sampled_from(["a", "b", "c d"]), VALUES, max_size=3),
    st.dictionaries(st.sampled_from(["new", "more"]), VALUES, min_size=1),
    st.integers(0, 10**6),
)
def test_adding_keeps_every_character(before: Any, wanted: Any, seed: int) -> None:
    """What is new is there, the rest means what it did and stands in its order, or the text is refused."""
    text = written(before, seed)

    after = merge(text, wanted, Yaml())

    node = Yaml().read(after)
    assert node is not None
    assert plain(node) == brought_in(before, wanted)
    assert in_order(text, after)
    assert merge(after, wanted, Yaml()) == after


@PATIENT
@given(st.lists(VALUES, min_size=1, max_size=3), VALUES, st.integers(0, 10**6))
def test_adding_to_a_list(before: Any, item: Any, seed: int) -> None:
    """The same for lists."""
    after = merge(written(before, seed), [item], Yaml())

    assert yaml.safe_load(after) == brought_in(before, [item])


def test_a_list_of_models() -> None:
    """An entry goes behind the last one, in the list's own indentation, and in front of the next comment."""
    wanted = {"models": [{"name": "Nearloop auto", "apiBase": "http://127.0.0.1:6327/v1", "roles": ["chat"]}]}

    after = merge(CONFIG, wanted, Yaml())

    assert after == CONFIG.replace(
        "    be brief\n\n",
        """    be brief

- name: "Nearloop auto"
  apiBase: http://127.0.0.1:6327/v1
  roles:
    - chat
""",
    )


def test_an_entry_is_known_again_by_its_name() -> None:
    """Another address replaces the one that is there, between its comments and quotes."""
    text = "models:\n  - name: Nearloop # local\n    apiBase: 'http://127.0.0.1:1/v1' # port\n    extra: yes\n"

    after = merge(text, {"models": [{"name": "Nearloop", "apiBase": "http://127.0.0.1:2/v1"}]}, Yaml())

    assert after == text.replace("'http://127.0.0.1:1/v1'", "http://127.0.0.1:2/v1")


@pytest.mark.parametrize(
    ("text", "wanted", "after"),
    [
        ("", {"a": 1}, "a: 1\n"),
        ("# mine", {"a": 1}, "# mine\na: 1\n"),
        ("---\n", {"a": 1}, "---\na: 1\n"),
        ("a: 1", {"b": "yes"}, 'a: 1\nb: "yes"'),
        ("a: 1\r\nb: 2\r\n", {"c": 3}, "a: 1\r\nb: 2\r\nc: 3\r\n"),
        ("models: # none\nname: x\n", {"models": [{"a": 1}]}, "models: # none\n  - a: 1\nname: x\n"),
        ("models: []\n", {"models": ["x"]}, "models: [x]\n"),
        ("{a: 1}\n", {"b": {"c": 2}}, '{a: 1, "b": {"c": 2}}\n'),
        ("a: # empty\n", {"a": "http://127.0.0.1:6327/v1"}, "a: http://127.0.0.1:6327/v1 # empty\n"),
        ("- 1\n# end\n", [2], "- 1\n- 2\n# end\n"),
        ("a: 1\n...\n", {"b": 2}, "a: 1\nb: 2\n...\n"),
    ],
)
def test_places(text: str, wanted: Any, after: str) -> None:
    """Empty, in brackets, in Windows' line ends, with an end mark."""
    assert merge(text, wanted, Yaml()) == after


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x: 1\na: [1\n", "line 3: "),
        ("x: 1\n\ty: 2\n", "line 2: "),
        ("x: 1\n---\na: 2\n", "line 2: a second document"),
        ("a: [1]\n", "line 1: a table has to be here"),
        ("x: &base {b: 2}\na: *base\n", "line 2: a table has to be here"),
        ("x: \x07\n", "line 1: a character"),
        ("? [1]\n: 2\n", "line 1: a key that is no plain word"),
        ("[" * 200, "line 1: it nests too deep"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    """Each with its line, and nothing is made of it."""
    with pytest.raises(Unreadable, match=message):
        merge(text, {"a": {"b": 1}}, Yaml())
