"""Whole files: what upstream ships is read, or refused with line, key and remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from daemon.recipes.files import form_of, text_of
from daemon.recipes.loading import load
from daemon.recipes.problems import BadRecipe, Problem

UPSTREAM: Final = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "config"
FILES: Final = sorted(path for path in UPSTREAM.rglob("*") if path.is_file())
REFUSED: Final = {  # code, line, key
    "config.yaml": ("unknown-value", 173, "routing.signals.keywords[3].method"),  # `method: fuzzy`
    "fragments/algorithm": ("fragment", 1, "algorithm"),
    "fragments/plugin": ("fragment", 1, "plugin"),
    "fragments/plugin/content-safety": ("fragment", 1, "plugins"),
    "fragments/decision": ("unknown-rule", 10, "routing.decisions[0].rules"),  # its signals stand in another fragment
    "knowledge_bases": ("not-a-recipe", 4, "labels"),
    "metadata.yaml": ("not-a-recipe", 1, "schema_version"),
    "probes.yaml": ("not-a-recipe", 1, "schema_version"),
    "recipe-metadata-v1.contract.yaml": ("not-a-recipe", 1, "schema_version"),
    "recipe-metadata-v1.schema.json": ("not-a-recipe", 2, "$schema"),
    "runtime/tools/tools_db.json": ("not-a-recipe", 1, ""),  # a list
}
READ: Final = (
    "fragments/signal",
    "fragments/algorithm/selection/prompt.yaml",
    "recipes/accuracy/config.yaml",
    "recipes/balance/config.yaml",
    "recipes/feedback/config.yaml",
    "recipes/privacy/config.yaml",
)


def name(path: Path) -> str:
    return path.relative_to(UPSTREAM).as_posix()


def expected(path: Path) -> tuple[str, int, str] | None:
    """What a file comes to; None if it is read. The longest match counts."""
    own = name(path)
    found = [key for key in (*REFUSED, *READ) if own.startswith(key) or own.endswith(f"/{key}")]
    return REFUSED.get(max(found, key=len))


def problems(text: str, form: str = "yaml") -> tuple[Problem, ...]:
    with pytest.raises(BadRecipe) as caught:
        load(text, form)  # type: ignore[arg-type]
    return caught.value.problems


@pytest.mark.parametrize("path", FILES, ids=name)
def test_upstreams_files(path: Path) -> None:
    """Each file of upstream's `config` is read whole, or refused with the line, the key and what to do."""
    wanted = expected(path)
    if wanted is None:
        loaded = load(text_of(path), form_of(path))
        assert all(problem.place and problem.key and problem.remedy for problem in loaded.problems)
        return

    first = next(problem for problem in problems(text_of(path)) if problem.severity == "error")

    assert (first.code, first.place and first.place.line, first.key) == wanted
    assert first.remedy


def test_the_reference_configuration_but_for_its_known_fault() -> None:
    """Upstream's exhaustive file is good once `method: fuzzy`, which upstream's own program refuses, is mended."""
    text = text_of(UPSTREAM / "config.yaml").replace("method: fuzzy", "method: regex")

    loaded = load(text, "yaml")

    assert len(loaded.recipe.routing.decisions) == 23
    assert {problem.code for problem in loaded.problems} >= {
        "unavailable-store",
        "unavailable-part",
        "machine-section",
    }


@pytest.mark.parametrize(
    "path", [path for path in FILES if expected(path) and expected(path)[0] == "fragment"], ids=name
)  # type: ignore[index]
def test_fragments_are_good_where_they_belong(path: Path) -> None:
    """A piece of a recipe is read where the refusal says that it belongs."""
    lines = text_of(path).splitlines()
    piece = "\n".join(f"      {line}" for line in lines)
    if lines[0] == "plugin:":
        piece = "      plugins:\n        - " + "\n".join(f"          {line}" for line in lines[1:]).lstrip()
        piece = piece.replace("\n            ", "\n          ")
    head = "routing:\n  decisions:\n    - name: d\n      modelRefs: [{model: qwen3-8b}]\n"

    assert load(head + piece, "yaml").recipe.routing.decisions[0].name == "d"


def test_all_faults_are_told_at_once_in_the_order_of_the_file() -> None:
    """Whoever mends a file sees every fault of its values, not one after the other."""
    text = """\
routing:
  strategie: priority
  signals:
    keywords:
      - name: k
        keywords: []
    pii: [{name: p, threshold: 1.5}]
  decisions:
    - priority: high
"""
    found = problems(text)

    assert [(each.code, each.place and each.place.line) for each in found] == [
        ("unknown-key", 2),
        ("empty", 6),
        ("out-of-bounds", 7),
        ("missing", 9),
        ("wrong-type", 9),
    ]
    assert found[0].remedy == "did you mean `strategy`?"


def test_names_are_found_in_the_text() -> None:
    """A reference to nothing is told where it stands, in both forms, with the name that was probably meant."""
    dsl = 'SIGNAL keyword urgent { keywords: ["now"] }\nROUTE r {\n  WHEN NOT keyword("urgentt")\n  MODEL "m"\n}\n'

    (first, *_) = problems(dsl, "dsl")

    assert (first.code, first.place and (first.place.line, first.place.column)) == ("unknown-rule", (3, 20))
    assert first.remedy == "did you mean `urgent`?"
