"""Which names in code are somebody's own."""

from __future__ import annotations

import pytest

from daemon.signals.code.names import CodeNames, stands_alone

RULE = CodeNames()


def names(text: str) -> set[str]:
    return {text[found.start : found.end] for found in RULE.find(text)}


@pytest.mark.parametrize(
    ("language", "code", "private"),
    [
        (
            "python",
            "from acmepay.books import settle_batch\n\nclass Falcon:\n    def total_of(self, cust_ref):\n"
            '        return np.where(self.rows, f"{cust_ref}\\tnight_run", os.path.join("a"))\n',
            {"acmepay", "settle_batch", "Falcon", "total_of", "cust_ref", "night_run"},
        ),
        (
            "ts",
            "export const loadLedger = async (id: string): Promise<LedgerRow[]> => {\n"
            "  const found = await fetch(`/x/${id}`);\n  return JSON.parse(await found.text());\n};",
            {"loadLedger", "LedgerRow"},
        ),
        (
            "java",
            "public class MarginCalc extends Thread {\n  private final Map<String, List<String>> acctRows = new HashMap<>();\n"
            '  public String toString() { return acctRows.getOrDefault("x", null).toString(); }\n}',
            {"MarginCalc", "acctRows"},
        ),
        (
            "go",
            "func (s *LedgerStore) PostEntry(ctx context.Context) error {\n\ttx, err := s.db.BeginTx(ctx, nil)\n"
            '\tif err != nil { return fmt.Errorf("x: %w", err) }\n}',
            {"LedgerStore", "PostEntry"},
        ),
        (
            "rust",
            "pub fn settle_all(rows: &[AcctRow]) -> Result<HashMap<String, u64>, Box<dyn Error>> {\n"
            "    rows.iter().map(|row| row.unwrap_or_default()).collect()\n}",
            {"settle_all", "AcctRow"},
        ),
        (
            "cpp",
            '#include <vector>\nstd::vector<AcctRow> rows;\nrows.push_back(make_row(3)); printf("%s", strerror(errno));',
            {"AcctRow", "make_row"},
        ),
        (
            "cs",
            "public class MarginCalc { public decimal NetOf(IEnumerable<string> xs) => xs.Count(); }\n"
            "Console.WriteLine(string.IsNullOrEmpty(acctName));",
            {"MarginCalc", "NetOf", "acctName"},
        ),
        (
            "sql",
            "SELECT c.net_amt, COALESCE(SUM(o.total), 0) FROM billing.invoices c JOIN cust_orders o ON o.cust_fk = c.id\n"
            "WHERE created_at > NOW() ORDER BY 1",
            {"billing", "net_amt", "invoices", "cust_orders", "cust_fk"},
        ),
        (
            "sh",
            "kubectl get pods -n kestrel-prod | grep kestrel && export ACME_HOME=/opt/x",
            {"kestrel-prod", "kestrel", "ACME_HOME"},
        ),
        (
            "yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: kestrel-payments-api\nspec:\n  replicas: 3\n",
            {"kestrel-payments-api"},
        ),
        (
            "json",
            '{"name": "kestrel-payments-api", "version": "1.0.0", "acctRows": [1, 2]}',
            {"kestrel-payments-api", "acctRows"},
        ),
    ],
)
def test_what_languages_and_libraries_have_is_nobodys(language: str, code: str, private: set[str]) -> None:
    """Of each language, names of its own and of libraries are left, and the author's are found."""
    found = names(f"Look:\n```{language}\n{code}\n```\n")

    assert found == private


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("Why does `settle_batch` fail?", {"settle_batch"}),
        (
            "The OrderReconciler calls reconcile_all() from src/billing/margin_calc.py.",
            {"OrderReconciler", "reconcile_all", "margin_calc"},
        ),
        ("Our Kestrel service talks to the Atlas database.", {"Kestrel", "Atlas"}),
        ("In Project Blue Heron we are late.", {"Project Blue Heron"}),
        ("def calc_bonus(emp):\n    return emp.base_pay * 2\n\nWhat does it do?", {"calc_bonus", "base_pay"}),
        ("JavaScript and PostgreSQL are used on GitHub, said McDonald; an iPhone and macOS too.", set()),
        ("What is the best way to write a class in Java? Is this function pure?", set()),
        ("A well-known, up-to-date and user-friendly web-app with real-time data.", set()),
        ("See https://docs.python.org/3/library/asyncio-task.html and mail ops_team@acme.example.", set()),
        ("commit 3f2a9bc81d7e and build 2024a11b22", set()),
        ("Thank you, I will go to Paris with my sister on Monday.", set()),
    ],
)
def test_in_prose_a_name_is_told_by_its_form_or_by_what_it_is_called(text: str, private: set[str]) -> None:
    """Underscores, humps and brackets make a name, and so does `the … service`; words and products do not."""
    assert names(text) == private


def test_a_name_stands_alone_or_is_another() -> None:
    """What is part of a longer identifier isn't the name; marks before it and an escape in a string don't matter."""
    text = r"_order_x_ b.order_x '\norder_x' (order_xy) reorder_x order_x__y $order_x"
    places = [at for at in range(len(text)) if text.startswith("order_x", at)]

    assert [stands_alone(text, at, at + 7) for at in places] == [True, True, True, False, False, False, True]
