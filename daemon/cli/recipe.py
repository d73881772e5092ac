"""`nearloop recipe`: check, format, convert, test, explain and compare routing policies, and put one to use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.cli.recipe_run import explain, test
from daemon.cli.recipe_use import rollback, use, versions
from daemon.errors import BadRequest
from daemon.recipes.dsl_printer import print_statements
from daemon.recipes.dsl_reader import read_statements
from daemon.recipes.dsl_writer import write_dsl
from daemon.recipes.files import form_of, read_recipe, text_of
from daemon.recipes.loading import load
from daemon.recipes.model import MACHINE, RecipeFile
from daemon.recipes.problems import BadRecipe, Problem, shown
from daemon.recipes.yaml_writer import write_yaml

_FILE: Final = click.Path(path_type=Path)


@click.group()
def recipe() -> None:
    """Check, format, convert, test, explain and compare recipes."""


recipe.add_command(test)
recipe.add_command(explain)
recipe.add_command(use)
recipe.add_command(versions)
recipe.add_command(rollback)


@recipe.command()
@click.argument("file", type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="Print the problems as JSON.")
def check(file: Path, as_json: bool) -> None:
    """Say what is wrong with FILE.

    Exit status 1 if it can't be used. Warnings name parts that this version doesn't have, and what happens instead.
    """
    text = ""
    try:
        text = text_of(file)
        problems = load(text, form_of(file)).problems
    except BadRecipe as error:
        problems = error.problems
    failed = any(problem.severity == "error" for problem in problems)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(problems)).decode())
    else:
        for problem in problems:
            click.echo(shown(problem, str(file), text.splitlines()))
        click.echo(f"{file}: {_summary(problems)}")
    sys.exit(1 if failed else 0)


def _summary(problems: tuple[Problem, ...]) -> str:
    counts = []
    for severity in ("error", "warning", "note"):
        count = sum(problem.severity == severity for problem in problems)
        if count:
            counts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    good = not any(problem.severity == "error" for problem in problems)
    return f"{'good' if good else 'not usable'}{': ' if counts else ''}{', '.join(counts)}"


@recipe.command()
@click.argument("file", type=_FILE)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit status 1 if it would change.")
def fmt(file: Path, only_check: bool) -> None:
    """Write FILE, which is in the recipe language, in its one form.

    Comments stay. YAML is not rewritten.
    """
    if form_of(file) != "dsl":
        raise BadRequest(
            "`fmt` writes the recipe language (.dsl): `nearloop recipe convert FILE --to dsl` makes that of YAML"
        )
    text = text_of(file)
    with _telling(file, text):
        formatted = print_statements(*read_statements(text))
    if formatted == text:
        click.echo(f"{file} is in form")
    elif only_check:
        click.echo(f"{file} would change")
        sys.exit(1)
    else:
        target = file.resolve()  # a link stays one
        new = target.with_name(f".{target.name}.new")
        new.write_text(formatted, encoding="utf-8", newline="\n")
        new.chmod(target.stat().st_mode & 0o777)
        new.replace(target)
        click.echo(f"{file} is written anew")


@recipe.command()
@click.argument("file", type=_FILE)
@click.option("--to", type=click.Choice(["yaml", "dsl"]), required=True)
@click.option("-o", "--output", type=_FILE, help="Write it there instead of printing it.")
def convert(file: Path, to: str, output: Path | None) -> None:
    """Say FILE in YAML, or in the recipe language.

    Comments are lost. What is about a machine, such as providers, has no words in the language.
    """
    loaded = _read(file)
    text = write_yaml(loaded) if to == "yaml" else write_dsl(loaded)
    for section in MACHINE:
        if to == "dsl" and getattr(loaded, "global_" if section == "global" else section) is not None:
            click.echo(f"nearloop: `{section}` is left out: the recipe language has no words for machines", err=True)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8", newline="\n")


@recipe.command()
@click.argument("before", type=_FILE)
@click.argument("after", type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON.")
def diff(before: Path, after: Path, as_json: bool) -> None:
    """Say what is different between two recipes, whichever forms they have.

    Exit status 1 if anything is. The order of a file, and what is about machines, make no difference.
    """
    from daemon.recipes.diff import diff as compare

    found = compare(_read(before), _read(after))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        for each in found:
            match each.kind:
                case "added":
                    click.echo(f"+ {each.key}: {each.after}")
                case "removed":
                    click.echo(f"- {each.key}: {each.before}")
                case "changed":
                    click.echo(f"~ {each.key}: {each.before} → {each.after}")
        if not found:
            click.echo("no difference")
    sys.exit(1 if found else 0)


def _read(file: Path) -> RecipeFile:
    text = text_of(file)
    with _telling(file, text):
        return read_recipe(text, form_of(file))


@contextmanager
def _telling(file: Path, text: str) -> Iterator[None]:
    """Show all problems of a file that can't be read, and end."""
    try:
        yield
    except BadRecipe as error:
        for problem in error.problems:
            click.echo(shown(problem, str(file), text.splitlines()), err=True)
        sys.exit(1)
