"""What left for it, as the receipts have it."""

from __future__ import annotations

from textual.content import Content

from daemon import wire
from tui.panels.writing import said
from tui.tones import Toned
from tui.words import clock, size


def lines(record: wire.Record, width: int) -> list[Content]:
    """Two or three lines for each crossing."""
    if not record.receipts:
        return [said(Toned("⌂ nothing left this machine", "good"))]
    return [line for receipt in record.receipts for line in _receipt(receipt, width)]


def _receipt(receipt: wire.Receipt, width: int) -> list[Content]:
    masks = ", ".join(f"{count} {label}" for label, count in receipt.masks.items())
    told = [
        said(
            Toned(f"↗ #{receipt.number} ", "warn"), clock(receipt.at), "  ", Toned(size(receipt.body_bytes), "strong"),
            f" to {receipt.provider}/{receipt.model or '–'}", Toned(f"  {receipt.outcome or 'not known yet'}", "muted"),
        ),
        said(Toned(f"  {receipt.host}{receipt.path}  {_tls(receipt)}", "muted")),
        said("  masked: ", Toned(masks, "warn")) if masks else said(Toned("  nothing in it was masked", "muted")),
    ]  # fmt: skip
    told.append(said(Toned(f"  sha256 {receipt.sha256[: max(16, width - 12)]}", "muted")))
    return told


def _tls(receipt: wire.Receipt) -> str:
    if receipt.tls is None:
        return "in clear"
    return f"{receipt.tls.version}, {receipt.tls.root} root, {receipt.tls.issuer or 'issuer not told'}"
