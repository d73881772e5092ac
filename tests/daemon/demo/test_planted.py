"""The folder of the demonstration: what is in it is new each time, in real forms, and is found again in any writing."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest

from daemon.demo.assets import shipped
from daemon.demo.planted import Planted, card_number, plant
from daemon.signals.vendor_tokens import TABLE


def test_every_value_stands_in_a_file(tmp_path: Path) -> None:
    """All values, and no slot that was not filled."""
    planted = plant(tmp_path, shipped(), random.Random(1))
    text = "\n".join(path.read_text() for path in tmp_path.iterdir())

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".env", "README.md", "customers.csv", "report.py", "test_report.py",
    ]  # fmt: skip
    assert all(each.value in text for each in planted)
    assert sum(each.secret for each in planted) == 4
    assert "${" not in text
    assert "http_post" in (tmp_path / "README.md").read_text()


def test_values_are_new_each_time(tmp_path: Path) -> None:
    """No key or card of one run is one of another's."""
    values = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        values.append({each.value for each in plant(folder, shipped(), random.Random(seed)) if each.secret})

    assert not values[0] & values[1]


def test_keys_have_their_vendors_forms(tmp_path: Path) -> None:
    """As the signals know them."""
    planted = {each.what: each.value for each in plant(tmp_path, shipped(), random.Random(3))}

    for what, label in (("OpenAI key", "OPENAI_KEY"), ("Stripe key", "STRIPE_KEY")):
        assert any(row.label == label and row.shape.fullmatch(planted[what]) for row in TABLE)


def test_the_folder_has_its_fault(tmp_path: Path) -> None:
    """One of its two tests fails, by the refund; each customer has a row."""
    plant(tmp_path, shipped(), random.Random(4))
    done = subprocess.run(
        [sys.executable, "-B", "-m", "unittest", "-q"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert "test_a_refund_is_taken_off" in done.stderr
    assert "failures=1" in done.stderr
    with (tmp_path / "customers.csv").open(newline="") as file:
        assert len({row["email"] for row in csv.DictReader(file)}) == 3


def test_cards_pass_their_test() -> None:
    """Luhn's sum is 0 (ISO/IEC 7812-1, annex B)."""
    source = random.Random(5)
    for _ in range(200):
        digits = [int(each) for each in reversed(card_number(source).replace(" ", ""))]
        assert sum(each if place % 2 == 0 else sum(divmod(2 * each, 10)) for place, each in enumerate(digits)) % 10 == 0


VALUE = Planted("password", 'Zr8"m\\Q/2vTé5x+Wk', True)


@pytest.mark.parametrize(
    "data",
    [
        f"x{VALUE.value}y".encode(),
        VALUE.value.upper().encode(),
        json.dumps({"a": VALUE.value}).encode(),
        json.dumps({"a": VALUE.value}, ensure_ascii=False).encode(),
        f"?k={quote(VALUE.value, safe='')}&".encode(),
        *(b64encode(b"#" * before + VALUE.value.encode() + b"tail") for before in range(4)),
    ],
)
def test_a_value_is_found_in_any_writing(data: bytes) -> None:
    """As it is, in other case, escaped, or packed wherever it begins."""
    assert VALUE.found_in(data)


def test_what_is_not_there_is_not_found() -> None:
    """Not a part of it, nor another value."""
    assert not VALUE.found_in(VALUE.value[:-1].encode())
    assert not VALUE.found_in(b"")
