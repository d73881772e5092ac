"""Of a call's tokens, those that could have been others."""

from __future__ import annotations

from daemon.tools.call_tokens import deciding
from providers.contract import Logprob


def tokens(*pieces: str) -> list[Logprob]:
    return [Logprob(piece.encode(), -float(place)) for place, piece in enumerate(pieces)]


def kept(made: list[Logprob], *names: str) -> list[str]:
    return [token.piece.decode() for token in deciding(made, names)]


def test_names_and_values_decide() -> None:
    """Marks, brackets and keys don't; a token that is partly a value does."""
    made = tokens(
        "<tool_call>", '{"', "name", '": "', "get", "_it", '", "', "arguments", '": {"', "city", '": "Ber', "lin", '", "',
        "days", '": ', "3", ', "', "deep", '": ', "true", "}}", "</tool_call>",
    )  # fmt: skip

    assert kept(made, "get_it") == ["get", "_it", '": "Ber', "lin", "3", "true"]


def test_a_name_outside_of_json_counts() -> None:
    """As Mistral's models write it; each of several calls in its place."""
    made = tokens("[TOOL_CALLS]", "get", "{}", "[TOOL_CALLS]", "get", '{"a": ', "1", "}")

    assert kept(made, "get", "get") == ["get", "get", "1"]


def test_characters_may_be_cut_anywhere() -> None:
    """Tokens are bytes, and a value with quotes in it is one value."""
    text = '{"a": "ä\\"}", "b": 2}'.encode()
    made = [Logprob(bytes([byte]), 0.0) for byte in text]

    assert b"".join(token.piece for token in deciding(made, ())) == 'ä\\"}2'.encode()


def test_words_beside_a_call_are_not_of_it() -> None:
    """Nothing is kept where there is no value and no name."""
    assert kept(tokens("Let ", "me ", "see"), "get") == []
