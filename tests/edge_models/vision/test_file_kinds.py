"""What kind of file some bytes are: as magika's own code says."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import sqlite3
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from edge_models.engines.base import Unavailable
from edge_models.vision.file_kinds import DIGESTS, FileKinds, folder
from tests.fakes.drawn import note, saved

ROOT = Path(__file__).resolve().parents[3]


def samples() -> dict[str, bytes]:
    """Files of this repository, and some that are made here."""
    names = [
        *(
            "README.md",
            "pyproject.toml",
            "NOTICE",
            "LICENSE",
            ".gitignore",
            ".ci/run",
            "CHANGELOG.md",
            "docs/config.md",
        ),
        *(
            "daemon/app.py",
            "daemon/settings.py",
            "tests/conftest.py",
            "daemon/recipes/dsl.lark",
            "assets/recipes/default.dsl",
        ),
        *(
            "assets/demo/answers.json",
            "assets/demo/folder/customers.csv",
            "assets/demo/folder/dot-env",
            "assets/icons/nearloop.svg",
        ),
        *("assets/models/embedder/openvino_model.xml", "assets/models/signals/heads.npz", "assets/names/public.txt.xz"),
        *("tests/agents/js/ai_sdk.mjs", "tests/agents/package.json", "tests/recorded/vsr/config/config.yaml"),
        *("docs/pictures/tray-idle.png", "docs/pictures/tui-live.svg", "edge_models/training/templates/abroad.toml"),
        *("tests/recorded/records_v1.db", "installers/requirements.txt", "tui/app.tcss", "assets/bench/leak.jsonl"),
    ]
    made = {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).exists()}
    page = saved(note(["words"]))
    packed, tarred, arrays = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "words")
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    np.save(arrays, np.zeros(9))
    connection = sqlite3.connect(":memory:")
    connection.execute("create table a (b)")
    return made | {
        "jpeg": saved(note(["words"]), "JPEG"),
        "gif": saved(note(["words"]), "GIF"),
        "bmp": saved(note(["words"]), "BMP"),
        "pdf": saved(note(["words"]), "PDF"),
        "zip": packed.getvalue(),
        "tar": tarred.getvalue(),
        "npy": arrays.getvalue(),
        "gzip": gzip.compress(page),
        "bzip": bz2.compress(page),
        "sqlite": connection.serialize(),
        "elf": Path(sys.executable).resolve().read_bytes()[:100_000],
        "noise": random.Random(1).randbytes(5000),
        "few": b"abc",
        "few others": b"\xff\xfe\xfd",
        "blanks": b" \n" * 4000,
        "blanks around": b" " * 3000 + b"import os\nprint(os.name)\n" + b"\n" * 9000,
        "html": b"<!doctype html><html><body><p>Hello there</p></body></html>",
        "mail": b"From: a@posteo.de\r\nTo: b@posteo.de\r\nSubject: hello\r\n\r\nwords and words\r\n",
        "key": b"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n",
        "sql": b"select name, age from people where age > 3 order by name;\n" * 5,
        "latin": "Grüße aus Köln, schöne Straße\n".encode("cp1252") * 30,
        "json": json.dumps({"a": [1, 2, {"b": None}]}).encode(),
    }


def test_as_the_package_says() -> None:
    """The same kind, and the same word on whether it is text, for all of them."""
    magika = pytest.importorskip("magika")
    theirs, ours = magika.Magika(), FileKinds()
    found = samples()
    assert len(found) >= 40
    told = {name: ours.kind(data) for name, data in found.items()}
    said = {name: theirs.identify_bytes(data).output for name, data in found.items()}
    assert {name: each.name for name, each in told.items()} == {name: str(each.label) for name, each in said.items()}
    assert {name: each.text for name, each in told.items()} == {name: each.is_text for name, each in said.items()}
    assert len({each.name for each in told.values()}) > 20


def test_nothing() -> None:
    """No bytes are no kind of their own here: they are text without words."""
    assert FileKinds().kind(b"").name == "txt"


def test_another_model(tmp_path: Path) -> None:
    """A file that isn't what was shipped is not opened."""
    for name in DIGESTS:
        (tmp_path / name).write_bytes((folder() / name).read_bytes())
    FileKinds(tmp_path)
    (tmp_path / "kinds.json").write_text("{}")
    with pytest.raises(Unavailable):
        FileKinds(tmp_path)
