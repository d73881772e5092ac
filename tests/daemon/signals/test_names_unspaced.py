"""Persons in Japanese, Chinese and Korean texts."""

from __future__ import annotations

import pytest

from daemon.signals.names_unspaced import in_han, in_hangul
from daemon.signals.overlaps import settle


def persons(text: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in settle((*in_han(text), *in_hangul(text)))]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("田辺様、ご連絡ありがとうございます", ["田辺"]),
        ("昨日、長谷川 浩二さんから電話", ["長谷川 浩二"]),
        ("担当は松永です", ["松永"]),
        ("佐伯課長に確認", ["佐伯"]),
        ("김철수 씨가 왔습니다", ["김철수"]),
        ("박지영님께 메일을", ["박지영"]),
        ("제 이름은 최유나이고", ["최유나"]),
        ("담당자: 남궁민수", ["남궁민수"]),
        ("张伟先生说明天来", ["张伟"]),
        ("我叫李雷，住在上海", ["李雷"]),
        ("收件人：诸葛清风", ["诸葛清风"]),
        ("请联系赵经理", ["赵"]),
    ],
)
def test_who_is_addressed_is_found(text: str, wanted: list[str]) -> None:
    """By form of address and by label; the form itself stays."""
    assert persons(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "仕様を確認してください。同様に、要求仕様書も。",
        "お客様、皆様、神様、様々な方法",
        "患者さん、お医者さん、みなさん",
        "高度な技術と多様性",
        "고객님, 선생님, 신청자님, 이용자님",
        "이것은 서비스입니다. 대표 이사회",
        "同事高度重视这个问题",
        "经理说会议取消",
        "老师和同学都在",
    ],
)
def test_nobody_is_found(text: str) -> None:
    """Words for anybody, and words that only end as a form of address does."""
    assert persons(text) == []
