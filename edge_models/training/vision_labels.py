"""Labels to ask an encoder of pictures and texts for: 21 in three verticals, in the words of picture captions."""

from __future__ import annotations

from typing import Final

LABELS: Final[dict[str, tuple[str, ...]]] = {
    "medical": (
        "a chest X-ray",
        "a brain scan from an MRI machine",
        "an ultrasound image of a fetus",
        "a photo of a skin rash",
        "a microscope slide of tissue",
        "a photo of the retina of an eye",
        "a printed prescription for medicine",
    ),
    "identity and finance": (
        "a photo of a passport page",
        "the front of an identity card",
        "a driving licence",
        "a credit card on a table",
        "a receipt from a shop",
        "a bank statement with a table of transactions",
        "an invoice addressed to a company",
    ),
    "code and office": (
        "a screenshot of source code in an editor",
        "a terminal window with an error message",
        "a bar chart from a report",
        "a slide of a presentation",
        "a spreadsheet full of numbers",
        "a diagram of boxes and arrows",
        "a page of printed text",
    ),
}
ALL: Final = tuple(label for labels in LABELS.values() for label in labels)
