"""Surnames, and syllables or characters of given names, of which names in Chinese, Japanese and Korean are put together."""

from __future__ import annotations

from typing import Final

SURNAMES_ZH: Final = "白方高郭韩何胡黄金雷李林刘罗马孟潘钱沈石孙唐田王魏吴夏徐许杨叶袁张赵郑周朱"
GIVEN_ZH: Final = "安柏川德恩帆歌涵杰凯岚明宁沛琪然若诗思涛薇希翔雅言宜毅宇雨泽哲芷子清远舟禾棠"
SURNAMES_JA: Final = tuple(
    map(
        "".join,
        zip(
            *[iter("相沢岩城榎本大槻香坂桐谷倉橋佐伯瀬名鷹野津島戸塚成瀬新見羽鳥藤代真柴三雲八代若槻")] * 2, strict=True
        ),
    )
)
GIVEN_JA: Final = "葵碧樹海怜凜湊蓮陸律奏暁遥泉渚静昴翠椿梓楓柊"
KANA: Final = "アイエカキサシセソタチナニノハヒマミヤユラリルレロワ"
SURNAMES_KO: Final = "강고곽권나남노도류문민배백서선성손송신심안양엄오우원유육윤임전정조주지진차채천최추탁하한허현홍황"
GIVEN_KO: Final = (
    "가건경규나다단담도라람려로루률리린마명미민별보봄비빈산새서선설소솔수슬승시아연영예온우운원유윤율은이"
    "인재정주준지진찬채하한해현혜호환훈희"
)
