"""Whether the report adds up."""

import unittest
from decimal import Decimal

from report import totals


class Totals(unittest.TestCase):
    """Of the customers as they are."""

    def test_charges_add_up(self):
        assert totals("customers.csv")["${email_2}"] == Decimal("80.00")

    def test_a_refund_is_taken_off(self):
        assert totals("customers.csv")["${email_1}"] == Decimal("100.00")


if __name__ == "__main__":
    unittest.main()
