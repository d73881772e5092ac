"""What is known of a model's sureness, in lines."""

from __future__ import annotations

from collections.abc import Iterator

from daemon.confidence.guarantee import Certificate
from daemon.confidence.profile import Profile


def profile_lines(profile: Profile) -> Iterator[str]:
    """A profile: one line a family."""
    threads = f"{profile.setup.threads} thread{'s' * (profile.setup.threads != 1)}"
    yield f"{profile.model} on {profile.setup.engine}, {threads}:"
    for family, known in profile.families.items():
        yield (
            f"  {family}: {known.right:.0%} right of {known.labels}, calibration off by {known.error:.3f}, "
            f"Brier {known.brier:.3f}; {promise(known.certificate)}"
        )
    for beside in filter(None, (profile.agreement, profile.likened)):
        for family, agreed in beside.families.items():
            yield (
                f"  {family}, with further answers: calibration off by {agreed.error:.3f}, Brier {agreed.brier:.3f}, "
                f"of {agreed.labels}"
            )
    for key, behind in profile.behind.items():
        for family, certificate in behind.certificates.items():
            yield f"  {family}, where {key} was not sure: {promise(certificate)}"
    if not profile.families:
        yield "  too few questions of any kind: nothing is stated"


def promise(certificate: Certificate) -> str:
    """What a certificate says, or what it would take."""
    sure = f"{1 - certificate.delta:.0%} sure"
    if certificate.threshold is not None:
        return (
            f"from {certificate.threshold:.2f} on at most {certificate.risk:.0%} wrong, {sure} "
            f"({certificate.wrong} of {certificate.kept} were)"
        )
    seen = (
        f"{certificate.wrong} of the surest {certificate.kept} were wrong" if certificate.kept else "nothing is known"
    )
    if certificate.more is None:
        return f"uncertified: {seen}, and more questions would not help"
    return f"uncertified: {seen}; about {certificate.more} more questions would tell"
