"""What the examination says of limits of what may be spent; the rest of it is seen in e2e/test_commands.py."""

from __future__ import annotations

import msgspec
import pytest

from daemon.doctor import _spending
from daemon.settings import Settings

WORK = {"base_url": "https://api.example.invalid/v1", "models": ["odd-one", "odd-two"]}


def settings(spending: dict[str, object], **providers: dict[str, object]) -> Settings:
    return msgspec.convert({"spending": spending, "providers": providers}, Settings)


def told(of: Settings) -> list[tuple[str, str]]:
    return [(each.severity, each.text) for each in _spending(of)]


def test_without_a_limit_nothing_is_said() -> None:
    """Also where nobody knows a price: nothing keeps it from being asked."""
    assert told(settings({"warn_at": 0.5}, work=WORK)) == []


@pytest.mark.parametrize(
    ("spending", "words"),
    [
        ({"day_usd": 0}, "1 limit of what may be spent in clouds"),
        ({"day_usd": 5, "month_usd": 50}, "2 limits of what may be spent in clouds"),
        (
            {"projects": {"p": {"day_usd": 1}}, "clients": {"c": {"month_usd": 1}}},
            "2 limits of what may be spent in clouds",
        ),
    ],
)
def test_limits_are_counted(spending: dict[str, object], words: str) -> None:
    """Of all, and by whom; a limit of 0 is one."""
    assert told(settings(spending)) == [("ok", words)]


def test_a_limit_of_nobody_is_found() -> None:
    """Its provider was renamed or taken out, so it holds nobody."""
    assert told(settings({"providers": {"gone": {"day_usd": 1}}}))[1:] == [
        ("warning", "[spending.providers.gone] limits a provider that there is not")
    ]


def test_who_is_left_out_is_found() -> None:
    """Models of a cloud whose price nobody knows, with what to write; until a price, a plan or the user's word is there."""
    limited = {"day_usd": 5}
    (found,) = _spending(settings(limited, work=WORK))[1:]
    assert found.severity == "warning"
    assert found.text == "nobody knows what odd-one, odd-two of work cost, so they may not be asked under a limit"
    assert '[prices."work/odd-one"]' in found.remedy
    for more in ({"billing": "plan"}, {"unpriced": "ask"}, {"base_url": "http://10.0.0.7:8000/v1", "place": "lan"}):
        assert len(_spending(settings(limited, work=WORK | more))) == 1, more
    priced = msgspec.convert(
        {"spending": limited, "providers": {"work": WORK}, "prices": {"odd-one": {"read": 1, "written": 2}}}, Settings
    )
    assert _spending(priced)[1].text.startswith("nobody knows what odd-two of work cost")
