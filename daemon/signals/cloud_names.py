"""What a cloud knows a customer by: numbers of accounts, names of buckets, projects and clusters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, places
from daemon.signals.samples import is_kind_only, is_sample_name, is_sample_uuid

ACCOUNT: Final = "CLOUD_ACCOUNT"
RESOURCE: Final = "CLOUD_RESOURCE"
_ARN: Final = re.compile(
    r"arn:aws[a-z-]{0,10}:(?P<service>[a-z0-9-]{1,40}):[a-z0-9-]{0,20}:(?P<account>\d{12})?:(?P<rest>[\w./*-]{0,200})"
)
_IN_DOCUMENTS: Final = frozenset({"123456789012", "012345678901", "999999999999", "210987654321"})
"""Accounts that documentation is written with, besides those of one or three repeated digits."""
_NAMED_ACCOUNT: Final = re.compile(
    r"(?:aws|amazon)[ _-]{0,3}account[ _-]{0,3}(?:id|number|no\.?|#)?[\"']?[ \t]{0,3}(?:[:=]|"
    r"is)?[ \t]{0,3}[\"']?(?P<account>\d{12})(?!\d)"
)
_AZURE: Final = re.compile(
    r"(?:subscriptions?|tenants?|directory)(?:[ _-]?id)?[\"']?[ \t]{0,3}(?:[:=/]|is)?[ \t]{0,3}[\"']?"
    r"(?P<account>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?![\w-])"
)
_STORE: Final = re.compile(r"(?:s3[an]?|gs|wasbs?|abfss?)://(?P<name>[a-z0-9][a-z0-9._-]{2,62})(?![\w.{$-])")
_STORES: Final = ("s3://", "s3a://", "s3n://", "gs://", "wasb", "abfs")
_GKE: Final = re.compile(r"gke_(?P<name>[a-z][a-z0-9-]{3,29}_[a-z0-9-]{4,30}_[a-z0-9-]{1,40})(?![\w-])")
_TOLD: Final = re.compile(
    r"(?:use-context|--(?:kube-)?context|--cluster(?:-name)?|config set project|--project(?:-id)?|"
    r"projects/(?=[\w-]+/(?:locations|zones|"
    r"topics|subscriptions|datasets|secrets|instances|global|regions|"
    r"serviceaccounts)))[ \t=]{0,3}[\"']?(?P<name>[a-z0-9][\w.@-]{3,80})(?![\w{$<])"
)
_TELLERS: Final = (
    "use-context",
    "--context",
    "--kube-context",
    "--cluster",
    "config set project",
    "--project",
    "projects/",
)
_GENERIC: Final = frozenset(
    """
    a app assets aws backup backups bucket buckets cluster config context data dataset datasets dev docker desktop
    file files gcp
    gcs id input kind log logs minikube models name output project raw s3 source staging prod production storage
    target terraform
    state tfstate tmp uploads us east west eu 1 2
    """.split()  # noqa: SIM905
)
_SAMPLES: Final = frozenset(
    [
        "my",
        "your",
        "our",
        "some",
        "example",
        "examples",
        "sample",
        "samples",
        "test",
        "tests",
        "testing",
        "demo",
        "foo",
        "bar",
        "baz",
        "mybucket",
        "public",
    ]
)


def _is_own(name: str) -> bool:
    """Whether a name is of somebody and not a document's: it has a word that says neither `example` nor what it is for."""
    words = [word for word in re.split(r"[-_.@]", name) if word]
    if is_sample_name(name) or is_kind_only(name):
        return False
    return _SAMPLES.isdisjoint(words) and any(len(word) > 2 and word not in _GENERIC for word in words)


def cloud_names(lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """lower: the text in small letters, at the same length. vocabulary: its own."""
    for at in places(lower, vocabulary.said(("arn:aws",))):
        if hit := _ARN.match(lower, at):
            yield from _in_arn(hit)
    for at in places(lower, vocabulary.said(("aws", "amazon"))):
        if (hit := _NAMED_ACCOUNT.match(lower, at)) and not _is_sample(hit["account"]):
            yield Found(*hit.span("account"), ACCOUNT)
    for at in places(lower, vocabulary.said(("subscription", "tenant", "directory"))):
        if (hit := _AZURE.match(lower, at)) and not is_sample_uuid(hit["account"]):
            yield Found(*hit.span("account"), ACCOUNT)
    for at in places(lower, _STORES) if "://" in lower else ():
        if not (at and lower[at - 1].isalnum()) and (hit := _STORE.match(lower, at)) and _is_own(hit["name"]):
            yield Found(*hit.span("name"), RESOURCE)
    for at in places(lower, vocabulary.said(("gke_",))):
        if (hit := _GKE.match(lower, at)) and _is_own(hit["name"].partition("_")[0]):
            yield Found(*hit.span("name"), RESOURCE)
    for at in places(lower, vocabulary.said(_TELLERS)):
        if (hit := _TOLD.match(lower, at)) and _is_own(hit["name"]) and _MARKED.search(hit["name"]):
            yield Found(*hit.span("name"), RESOURCE)


_MARKED: Final = re.compile(r"[\d_.@-]")


def _in_arn(hit: re.Match[str]) -> Iterator[Found]:
    if hit["account"] and not _is_sample(hit["account"]):
        yield Found(*hit.span("account"), ACCOUNT)
    if hit["service"] == "s3" and not hit["account"]:
        bucket = re.match(r"[\w.-]+", hit["rest"])
        if bucket and _is_own(bucket[0]):
            yield Found(hit.start("rest"), hit.start("rest") + bucket.end(), RESOURCE)


def _is_sample(account: str) -> bool:
    steps = [(int(one) - int(other)) % 10 for one, other in zip(account[1:], account, strict=False)]
    return account in _IN_DOCUMENTS or len(set(account)) <= 4 or sum(step in (0, 1, 9) for step in steps) >= 8
