"""A user's labelled texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_models.engines.base import Unavailable
from edge_models.training.examples import Example, divided, read_examples


@pytest.mark.parametrize(
    "data",
    [
        'text,label\n"hello, you",a\nbye,b\n',
        "label;text\na;hello, you\nb;bye\n",
        "\ufefftext\tlabel\nhello, you\ta\nbye\tb\n",
        '{"text": "hello, you", "label": "a"}\n\n{"text": "bye", "label": "b", "more": 1}\n',
    ],
)
def test_the_forms(data: str, tmp_path: Path) -> None:
    """CSV with commas, semicolons or tabs, and JSONL."""
    (tmp_path / "file").write_text(data, encoding="utf-8")
    assert read_examples(tmp_path / "file") == [Example("hello, you", "a"), Example("bye", "b")]


@pytest.mark.parametrize(
    ("data", "named"),
    [("a,b\nprivate,2\n", "columns text and label"), ('{"text": "private"}', "line 1"), (b"\xff\xfe\x00", "UTF-8")],
)
def test_other_forms_are_refused(data: str | bytes, named: str, tmp_path: Path) -> None:
    """The message names what is wrong, never the words."""
    (tmp_path / "file").write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(Unavailable, match=named) as caught:
        read_examples(tmp_path / "file")
    assert "private" not in str(caught.value)


def test_each_text_is_in_one_part() -> None:
    """A quarter measures, less calibrates, the rest is fitted on; every label is in each part."""
    examples = [Example(f"{label} {number}", label) for label in "ab" for number in range(40)]
    parts = divided(examples, 7)

    assert [len(part) for part in parts] == [48, 12, 20]
    assert sorted(example.text for part in parts for example in part) == sorted(example.text for example in examples)
    assert all({example.label for example in part} == {"a", "b"} for part in parts)
    assert divided(list(reversed(examples)), 7) == parts
