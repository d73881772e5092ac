"""Persons in Japanese, Chinese and Korean texts, told by how they are addressed and by what stands before a name in forms.

A Chinese or Korean name begins with one of some hundred surnames; a Japanese one has no such mark, so what stands before
`様` or `さん` has to be written as names are, and not end as words for anybody do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import around

LABEL: Final = "PERSON"

# ---- Han and kana ---------------------------------------------------------------------------------------------------

_HAN: Final = r"[\u3005\u3400-\u9fff]"
_KANA: Final = r"[\u3041-\u3096]"
_KATAKANA: Final = r"[\u30a1-\u30fa\u30fc]"
_JAPANESE_NAME: Final = rf"{_HAN}{{1,4}}(?:[ \u3000]?(?:{_HAN}{{1,3}}|{_KANA}{{2,4}}|{_KATAKANA}{{2,6}}))?"
_JAPANESE: Final = re.compile(
    rf"(?<![\u3005\u3400-\u9fff\u30a1-\u30fa])(?P<name>{_JAPANESE_NAME}|{_KATAKANA}{{2,8}})[ \u3000]?"
    r"(?P<by>様(?![々子式相])|さん(?!で)|さんで(?=す)|氏(?!名)|殿|くん|ちゃん|先生|部長|課長|社長|係長|主任|教授|弁護士|医師)"
)
_NOBODYS_ENDS: Final = "者屋員人客師母父姉兄婆爺家仕同多模一異有神王皆奥姫々何各本当会社先御担部課長学大小彼両諸業方"
"""Characters before 様, さん and 氏 that make another word of it."""
_JAPANESE_LABELS: Final = re.compile(
    rf"(?:氏名|名前|担当者?|患者|大家|受取人|申込者|お届け先|宛名|契約者)(?:[:：]|は|"
    rf"の)[ \u3000]?(?P<name>{_HAN}{{2,4}}(?:[ \u3000]{_HAN}{{1,3}}|"
    rf"[ \u3000]?(?!です|でし|ます|さん|から|まで|より){_KANA}{{2,3}})?)(?=です|[はがをにと、。，\s]|$)"
)
_CHINESE_SURNAMES: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石"
    "廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔汤常温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹"
    "申欧耿关兰焦俞左柳甘祝包宁尚舒阮柯纪梅童凌毕季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶牟艾尤阳穆农司卓古"
    "吉缪简车芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂佟臧闵苟邬边卞姬仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池麻苑迟邝"
)
_COMPOUND: Final = (
    r"欧阳|司马|上官|诸葛|司徒|东方|独孤|南宫|夏侯|皇甫|尉迟|公孙|慕容|宇文|长孙|令狐|钟离|闻人|澹台|端木"
)
_CHINESE_NAME: Final = rf"(?:(?:{_COMPOUND}){_HAN}{{1,2}}|[{_CHINESE_SURNAMES}]{_HAN}{{1,2}}?)"
_CHINESE: Final = re.compile(
    rf"(?<![老律医教导厨])(?P<name>(?:{_COMPOUND}|[{_CHINESE_SURNAMES}])(?:{_HAN}{{1,2}}?)?)"
    r"(?:先生|女士|小姐|老师|经理|医生|律师|教授|同学|主任|总监|师傅|阿姨|会计|护士|大夫)"
)
_CHINESE_LABELS: Final = re.compile(
    rf"(?:我叫|名叫|叫做|姓名(?:是|为)?[:：]?|收件人[:：]?|联系人[:：]?|病人|患者|同事|房东|客户|邻居|"
    rf"员工)[ ]?(?P<name>{_CHINESE_NAME})"
    r"(?=[，。、,；;：:\s的在说是还下上和与跟要已没不今昨明来去请问想向把被给住将]|$)"
)


_BY_JAPANESE: Final = (
    *(
        "様",
        "さん",
        "氏",
        "殿",
        "くん",
        "ちゃん",
        "先生",
        "部長",
        "課長",
        "社長",
        "係長",
        "主任",
        "教授",
        "弁護士",
        "医師",
    ),
)
_LABELS_JAPANESE: Final = ("名前", "氏名", "担当", "患者", "大家", "受取人", "申込者", "届け先", "宛名", "契約者")
_BY_CHINESE: Final = (
    *(
        "先生",
        "女士",
        "小姐",
        "老师",
        "经理",
        "医生",
        "律师",
        "教授",
        "同学",
        "主任",
        "总监",
        "师傅",
        "阿姨",
        "会计",
        "护士",
        "大夫",
    ),
)
_LABELS_CHINESE: Final = ("叫", "姓名", "收件人", "联系人", "病人", "患者", "同事", "房东", "客户", "邻居", "员工")


def in_han(text: str) -> Iterator[Found]:
    """By Japanese and Chinese forms of address and labels."""
    for start, end in around(text, _BY_JAPANESE, 12, 4):
        for hit in _JAPANESE.finditer(text, start, end):
            name, by = hit["name"], hit["by"]
            alone = len(name.replace(" ", "").replace("\u3000", "")) < 2
            if alone or (by in _ANYBODYS and name[-1] in _NOBODYS_ENDS):
                continue
            yield Found(*hit.span("name"), LABEL)
    for pattern, words, before in (
        (_JAPANESE_LABELS, _LABELS_JAPANESE, 2),
        (_CHINESE, _BY_CHINESE, 5),
        (_CHINESE_LABELS, _LABELS_CHINESE, 2),
    ):
        for start, end in around(text, words, before, 16):
            for hit in pattern.finditer(text, start, end):
                yield Found(*hit.span("name"), LABEL)


_ANYBODYS: Final = frozenset(("様", "さん", "氏", "殿", "さんで", "くん", "ちゃん"))
"""Forms of address that also end words."""


# ---- Hangul ---------------------------------------------------------------------------------------------------------

_KOREAN_SURNAMES: Final = (
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민나진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인"
    "맹제모탁국"
)
_KOREAN_COMPOUND: Final = r"남궁|제갈|황보|선우|독고|사공|서문"
_KOREAN_NAME: Final = rf"(?:(?:{_KOREAN_COMPOUND})[가-힣]{{1,2}}|[{_KOREAN_SURNAMES}][가-힣]{{2}})"
_KOREAN: Final = re.compile(
    rf"(?<![가-힣])(?P<name>{_KOREAN_NAME}|[{_KOREAN_SURNAMES}][가-힣](?=\s?씨))\s?"
    r"(?P<by>씨(?![가-힣앗족])|씨(?=[는가를의와도에께]|에게|한테)|님|군(?![가-힣])|양(?![가-힣])|선생|과장|부장|대리|차장|팀장|실장|사원|대표|이사|교수|박사|사장|원장|변호사|간호사)"
)
_KOREAN_LABELS: Final = re.compile(
    rf"(?:이름은|성함은|성명[:은]?|받는 ?사람[:은]?|수신인[:은]?|환자(?:명)?[: ]|고객명[:은]?|담당자[:는]?|"
    rf"집주인|신청자[:는]?|예금주[:는]?|동료) ?"
    rf"(?P<name>{_KOREAN_NAME})(?=입니다|이고|이며|이라고|라고|예요|이에요|[은는이가을를의과와에께도]|[\s,.:;]|$)"
)
_KOREAN_ROLES: Final = re.compile(r"[가-힣]*[자객사생]$")
"""`신청자님`, `고객님`: words for anybody."""


_BY_KOREAN: Final = (
    *(
        "씨",
        "님",
        "군",
        "양",
        "선생",
        "과장",
        "부장",
        "대리",
        "차장",
        "팀장",
        "실장",
        "사원",
        "대표",
        "이사",
        "교수",
        "박사",
        "사장",
    ),
    *("원장", "변호사", "간호사"),
)
_LABELS_KOREAN: Final = (
    *("이름은", "성함은", "성명", "받는", "수신인", "환자", "고객명", "담당자", "집주인", "신청자", "예금주", "동료"),
)


def in_hangul(text: str) -> Iterator[Found]:
    """By Korean ones."""
    for start, end in around(text, _BY_KOREAN, 7, 6):
        for hit in _KOREAN.finditer(text, start, end):
            if not (hit["by"] == "님" and _KOREAN_ROLES.match(hit["name"])):
                yield Found(*hit.span("name"), LABEL)
    for start, end in around(text, _LABELS_KOREAN, 1, 18):
        for hit in _KOREAN_LABELS.finditer(text, start, end):
            yield Found(*hit.span("name"), LABEL)
