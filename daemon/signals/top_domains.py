"""Top-level domains under which people have mail, as far as an address can be told from code by them."""

from __future__ import annotations

from typing import Final

GENERIC: Final = frozenset(
    """
    academy accountant accountants aero africa agency ai amsterdam app army art asia auto baby bank bar bayern beer
    berlin bio biz blog build builders business cafe capital care careers cars cash cat center charity chat church
    city click clinic cloud club coach coaching codes coffee college com community company computer construction
    consultant consulting contractors coop courses credit cyou dating day deals delivery democrat dental design dev
    digital direct discount doctor earth eco edu education email energy engineer engineering enterprises equipment
    estate eus events exchange expert express faith family film finance financial fitness flights fm food foundation
    fun fund gal gallery game games gift gifts global gmbh gov green group guru hamburg health healthcare help
    holdings holiday homes host hostel hosting hotel house how icu inc industries info institute insurance int
    international io jobs kids kitchen koeln lab land lat law lawyer legal life limited link live llc loan loans
    london love ltd mail market marketing media mil mobi moe money monster mortgage motorcycles museum music name
    navy net network new news ngo ninja nyc one ong online org page paris partners parts party photo photography
    pictures pizza plumbing plus post press pro properties pub radio recipes rent repair report republican research
    restaurant review reviews rocks run sale sarl school science scot services sh shop show site social software
    solar solutions space sport store studio supplies supply support swiss systems tax taxi team tech technology tel
    theater tickets today tokyo tools top tours town trade trading training travel tv university vacations ventures
    video vip vote wales web website wedding wien wiki win wine work works world xxx xyz yoga zone
    """.split()  # noqa: SIM905
)
"""Of IANA's list those that are in use for mail and are no common name of an attribute (`a @ b.shape`)."""
COUNTRIES: Final = frozenset(
    """
    ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc
    cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga
    gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp
    ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms
    mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro
    rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt
    tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw
    """.split()  # noqa: SIM905
)
"""ISO 3166-1 alpha-2, as registered."""
