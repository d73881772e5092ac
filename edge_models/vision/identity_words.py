"""Words that stand on identity documents, in the languages of many states: evidence of one beside how it looks.

What is counted are things that are said, such as a date of birth, each once, in whatever language. Blanks and accents count
for nothing, since OCR drops both; short words have to stand by themselves.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SAID: Final = {
    "passport": "passport|passeport|reisepass|pasaporte|passaport[eo]|paspoort|paszport|pasaport"
    "|여권|旅券|护照|護照|パスポート",
    "card": "identit(y|e|a)card|identificationcard|cartenationaledidentite|cartedidentite|personalausweis|identitatskarte"
    "|identitatsausweis|nacionaldeidentidad|cartadidentita|cartaodecidadao|identiteitskaart|dowodosobisty|nationalid|idcard"
    "|주민등록증|신분증|身份证|身分證|個人番号カード",
    "licence": "(driving|drivers?)licen[cs]e|permisdeconduire|fuhrerschein|(permiso|licencia|carnet)decondu[a-z]*"
    "|patentediguida|rijbewijs|prawojazdy|cartadeconducao|korkort|운전면허|運転免許|驾驶证",
    "residence": "residencepermit|titredesejour|aufenthaltstitel|permisoderesidencia|permessodisoggiorno"
    "|외국인등록|在留カード",
    "surname": "surname|familyname|lastname|apellidos?|cognome|nachname|familienname|nomdefamille|apelidos?|achternaam"
    "|nazwisko|성명|氏名|姓名",
    "given": "givennames?|forenames?|firstnames?|prenoms?|vornamen?|voornamen|imiona",
    "birth": "dateofbirth|birthdate|datedenaissance|geburtsdatum|geburtstag|fechadenacimiento|datadinascita|datadenascimento"
    "|geboortedatum|dataurodzenia|생년월일|生年月日|出生",
    "birthplace": "placeofbirth|lieudenaissance|geburtsort|lugardenacimiento|luogodinascita|geboorteplaats|출생지",
    "nationality": "nationality|nationalite|staatsangehorigkeit|nacionalidade?|cittadinanza|nazionalita|nationaliteit"
    "|obywatelstwo|국적|国籍|國籍",
    "issued": "dateofissue|issuedon|dateofissuance|issuingauthority|datededelivrance|ausstellungsdatum|ausgestelltam"
    "|fechadeexpedicion|datadirilascio|dataemissao|발급일|交付|签发机关",
    "expiry": "dateofexpiry|expirydate|dateofexpiration|expirationdate|validuntil|datedexpiration|gultigbis|ablaufdatum"
    "|fechadecaducidad|datadiscadenza|geldigtot|유효기간|만료일|有効期限|有效期",
    "number": "documentno|passportno|licen[cs]eno|cardno|documentnumber|ausweisnummer|numerodedocumento|여권번호",
    "holder": "signatureofbearer|holderssignature|signatureofholder|unterschriftdesinhabers|signaturedutitulaire"
    "|firmadeltitular|personalno|bearer",
}
_ALONE: Final = {
    "sex": "sex|sexe|sexo|sesso|geschlecht|geslacht|gender|성별|性別|性别",
    "birth": "dob|ne le|nee le|born",
    "height": "height|hgt|taille|grosse|eyes|statura",
    "expiry": "exp|expires",
    "number": "dl|dni",
}
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_IN: Final = {said: re.compile(words) for said, words in _SAID.items()}
_BY_ITSELF: Final = {said: re.compile(rf"(?<!\w)(?:{words})(?!\w)") for said, words in _ALONE.items()}


def identity_words(text: str) -> int:
    """How many things it says that identity documents say. text: as it was read from a picture."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", apart))  # other scripts' signs are put together again
    close = re.sub(r"[\W_\d]+", "", plain)
    said = {each for each, words in _IN.items() if words.search(close)}
    return len(said | {each for each, words in _BY_ITSELF.items() if words.search(plain)})
