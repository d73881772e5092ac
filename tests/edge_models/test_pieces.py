"""The table of token bytes, on small vocabularies."""

from __future__ import annotations

from edge_models.pieces import is_sentencepiece, piece_table


def test_byte_level_tokens_are_taken_as_they_are() -> None:
    """Leading spaces, halves of characters and tokens that look like byte tokens keep their bytes."""
    vocabulary = {b" hello": 0, b"\xe4\xbd": 1, b"\xa0": 2, b"<0x4>": 3, "\u2581".encode(): 4, **_filler(5, 20)}
    assert not is_sentencepiece(vocabulary)
    assert piece_table(vocabulary, ())[:5] == (b" hello", b"\xe4\xbd", b"\xa0", b"<0x4>", "\u2581".encode())


def test_sentencepiece_tokens_are_rewritten() -> None:
    """U+2581 is a space, and <0x0A> is one byte."""
    vocabulary = {"\u2581hello".encode(): 0, b"<0x0A>": 1, b"<0xFF>": 2, "\u2581\u2581".encode(): 3, "é".encode(): 4}
    assert is_sentencepiece(vocabulary)
    assert piece_table(vocabulary, ()) == (b" hello", b"\n", b"\xff", b"  ", "é".encode())


def test_sentencepiece_without_byte_tokens_is_known_by_its_spaces() -> None:
    """A tenth of a vocabulary that begins with U+2581 is enough."""
    vocabulary = {"\u2581a".encode(): 0, "\u2581b".encode(): 1, **_filler(2, 12)}
    assert is_sentencepiece(vocabulary)
    assert piece_table(vocabulary, ())[0] == b" a"


def test_control_tokens_and_gaps_are_empty() -> None:
    """Hidden ids and ids that nobody named have empty pieces."""
    assert piece_table({b"<|end|>": 0, b"word": 3}, {0}) == (b"", b"", b"", b"word")
    assert piece_table({}, ()) == ()


def _filler(start: int, count: int) -> dict[bytes, int]:
    return {f"word{number}".encode(): start + number for number in range(count)}
