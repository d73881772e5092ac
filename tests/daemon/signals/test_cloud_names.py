"""What a cloud knows a customer by."""

from __future__ import annotations

import pytest

from daemon.signals.cloud_names import cloud_names
from daemon.signals.overlaps import Vocabulary


def found(text: str) -> list[tuple[str, str]]:
    return [(hit.label, text[hit.start : hit.end]) for hit in cloud_names(text.lower(), Vocabulary(text.lower()))]


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("arn:aws:iam::482913056712:role/billing", "CLOUD_ACCOUNT", "482913056712"),
        ("AWS account id: 482913056712", "CLOUD_ACCOUNT", "482913056712"),
        (
            "/subscriptions/8d7f2c1a-5b3e-4f60-9a1c-2e4d6f8a0b1c/resourceGroups",
            "CLOUD_ACCOUNT",
            "8d7f2c1a-5b3e-4f60-9a1c-2e4d6f8a0b1c",
        ),
        ("arn:aws:s3:::lindgren-payroll/*", "CLOUD_RESOURCE", "lindgren-payroll"),
        ("aws s3 ls s3://lindgren-payroll/2024/", "CLOUD_RESOURCE", "lindgren-payroll"),
        ("gke_lindgren-prod_europe-west1-b_main", "CLOUD_RESOURCE", "lindgren-prod_europe-west1-b_main"),
        ("kubectl config use-context lindgren-prod", "CLOUD_RESOURCE", "lindgren-prod"),
    ],
)
def test_accounts_and_names_are_found(text: str, label: str, value: str) -> None:
    """Where their form or the word before them says what they are."""
    assert found(text) == [(label, value)]


@pytest.mark.parametrize(
    "text",
    [
        "arn:aws:iam::123456789012:role/x and arn:aws:iam::111122223333:user/y and arn:aws:iam::112233445566:user/z",
        "arn:aws:iam::aws:policy/ReadOnlyAccess",
        "s3://my-bucket/x gs://your-bucket-name/y s3://bucket/z s3://{bucket}/a",
        "account 482913056712 and order 482913056712",
        "id 8d7f2c1a-5b3e-4f60-9a1c-2e4d6f8a0b1c",
        "use-context minikube, --context docker-desktop, --project my-project-1",
    ],
)
def test_samples_and_other_numbers_are_left_alone(text: str) -> None:
    """Accounts of documentation, placeholders, and ids that no word names."""
    assert found(text) == []
