"""What customers have paid, by address."""

import csv
from decimal import Decimal


def totals(path: str) -> dict[str, Decimal]:
    """The sum of each customer's charges, less what was given back."""
    sums: dict[str, Decimal] = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            amount = Decimal(row["amount"])
            if row["kind"] == "refund":
                amount = abs(amount)
            sums[row["email"]] = sums.get(row["email"], Decimal(0)) + amount
    return sums
