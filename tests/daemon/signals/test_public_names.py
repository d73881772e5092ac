"""Names that everybody knows."""

from __future__ import annotations

import pytest

from daemon.signals.public_names import everybody_knows, is_made, looks_like_a_name, means_what_is_made


@pytest.mark.parametrize(
    "name", ["Amazon", "AWS", "Google Cloud", "microsoft excel", "GitHub, Inc.", "Stack Overflow Google"]
)
def test_a_famous_name_is_known(name: str) -> None:
    """A name of world-wide use is known with the words that go with it."""
    assert everybody_knows(name)


@pytest.mark.parametrize(
    "name", ["Nordhof Google Partners", "Red Hat", "Acme", "Visa Office", "Hansa Cloud Services", "", "…"]
)
def test_others_are_not(name: str) -> None:
    """One word that isn't famous, or only words that mean something else as well, make a name somebody's own."""
    assert not everybody_knows(name)


@pytest.mark.parametrize("words", ["Nordhof", "nordhof gmbh", "iTech", "3m", "北京大学", "ACME"])
def test_what_is_written_as_a_name_is_one(words: str) -> None:
    """A capital, a digit, a legal form, or a script that has no capitals."""
    assert looks_like_a_name(words)


@pytest.mark.parametrize("words", ["first principles", "the sales team", "billing-prod"])
def test_plain_words_are_none(words: str) -> None:
    """Nothing sets them apart from the other words of a sentence."""
    assert not looks_like_a_name(words)


@pytest.mark.parametrize(
    "name",
    ["Claude Code", "claude-sonnet", "claude mcp", "claude-sonnet-4-5", "CLAUDE.md", "Jest", "Gemini CLI", "Codex"],
)
def test_products_are_no_persons(name: str) -> None:
    """An assistant, a model or a tool is known by its name, whatever else is said."""
    assert is_made(name, meant=lambda word: False)


@pytest.mark.parametrize("name", ["Claude Dubois", "Claude Monet", "Maria Code", "code", "Opus Keller", "", "4"])
def test_persons_stay_persons(name: str) -> None:
    """A name with a word that is no product's is a person's, even among products."""
    assert not is_made(name, meant=lambda word: True)


@pytest.mark.parametrize(
    "text",
    [
        "You are Claude Code.",
        "Claude, by Anthropic",
        "/home/u/claude-code/x.py",
        "claude --resume",
        "see CLAUDE.md",
        "~/.claude/settings.json",
        "claude-3-5",
    ],
)
def test_a_product_that_is_meant(text: str) -> None:
    """Its name alone is the product's where a text tells so."""
    assert means_what_is_made(text, "claude")
    assert is_made("Claude", meant=lambda word: means_what_is_made(text, word))


@pytest.mark.parametrize("text", ["My colleague Claude is ill.", "Claude Opusmann - jr", "jean-claude agentur"])
def test_a_person_that_is_meant(text: str) -> None:
    """Elsewhere it is a person's."""
    assert not is_made("Claude", meant=lambda word: means_what_is_made(text, word))
