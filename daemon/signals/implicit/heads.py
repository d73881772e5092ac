"""Words that a person or an organisation is described by, and what each is said to be when less may be told."""

from __future__ import annotations

from typing import Final

_LEADING: Final = """
ceo cfo cto coo cmo cio ciso chairman chairwoman chairperson chair president vice-president vp svp evp director
executive founder co-founder cofounder head boss owner partner principal manager supervisor lead leader chief
entrepreneur tycoon billionaire millionaire heir heiress magnate investor landlord board-member
"""
_MEDICAL: Final = """
doctor physician surgeon nurse midwife dentist psychiatrist psychologist therapist pediatrician paediatrician
cardiologist oncologist neurologist radiologist dermatologist anesthesiologist gynecologist pathologist pharmacist
paramedic veterinarian vet epidemiologist urologist neurosurgeon obstetrician clinician resident gp
"""
_PUBLIC: Final = """
mayor governor senator congressman congresswoman representative councillor councilor councilman councilwoman
politician minister ambassador diplomat commissioner official alderman mp mep candidate secretary chancellor
legislator delegate regulator envoy undersecretary lawmaker ombudsman ombudswoman premier speaker deputy
chairman-elect head-of-state attache consul
"""
_TEACHING: Final = """
teacher professor lecturer headmaster headmistress dean principal tutor student pupil graduate researcher scientist
postdoc phd academic scholar librarian instructor provost rector valedictorian alumnus alumna astronomer physicist
chemist biologist mathematician historian economist geologist archaeologist anthropologist linguist laureate
"""
_LAW: Final = """
lawyer attorney judge solicitor barrister prosecutor notary paralegal counsel magistrate juror whistleblower witness
defendant plaintiff inmate prisoner suspect victim
"""
_ARTS: Final = """
athlete player footballer goalkeeper quarterback coach referee swimmer runner cyclist boxer golfer gymnast skater
olympian actor actress singer musician drummer guitarist rapper dj composer conductor violinist pianist cellist dancer
choreographer painter sculptor photographer filmmaker screenwriter playwright novelist author writer poet journalist
reporter columnist editor anchor broadcaster presenter comedian influencer youtuber streamer podcaster blogger model
designer architect chef magician
"""
_GUARDS: Final = """
officer soldier general colonel captain sergeant lieutenant admiral commander marine veteran detective sheriff
firefighter pilot astronaut agent ranger warden inspector constable policeman policewoman
"""
_WORKING: Final = """
engineer developer programmer analyst consultant accountant auditor banker broker trader realtor salesman saleswoman
salesperson recruiter administrator assistant receptionist secretary clerk cashier waiter waitress bartender baker
butcher barber hairdresser plumber electrician carpenter mechanic welder driver trucker farmer fisherman miner logger
gardener janitor cleaner nanny contractor technician operator dispatcher translator interpreter curator archivist
pastor priest rabbi imam bishop nun monk employee worker coworker co-worker colleague staffer intern apprentice
trainee hire freelancer specialist strategist planner coordinator organizer activist volunteer treasurer bookkeeper
beekeeper blacksmith brewer winemaker sommelier jeweler tailor lighthouse-keeper undertaker zookeeper statistician
actuary underwriter adviser advisor expert practitioner caterer florist optometrist nutritionist dietitian
stuntman stuntwoman animator lobbyist evangelist shepherd barista bouncer chauffeur surveyor sonographer
taxidermist horologist falconer watchmaker cobbler locksmith roofer mason potter glassblower tattooist
forklift-driver courier flight-attendant stewardess steward navigator diver beautician stylist producer scout codebreaker
"""
_CLOSE: Final = """
wife husband spouse girlfriend boyfriend fiance fiancee partner ex mother father mom mum dad parent son daughter
brother sister sibling uncle aunt cousin nephew niece grandmother grandfather grandma grandpa grandson granddaughter
twin roommate flatmate housemate neighbor neighbour friend stepmother stepfather stepson stepdaughter
"""
_PEOPLE: Final = """
man woman person guy lady boy girl teenager teen child kid baby toddler individual patient client customer tenant
resident applicant complainant caller passenger guest donor sponsor beneficiary policyholder claimant borrower buyer
seller mentor mentee native figure celebrity star superstar legend icon hero champion winner recipient king queen
prince princess monarch creator inventor pioneer immigrant refugee widow widower retiree pensioner survivor member
countess count duke duchess baron baroness orphan quadruplets descendant hermit
founder-member couple family twins triplets
"""
_MONEY: Final = "bank fund insurer brokerage lender bank-branch credit-union accelerator fintech"
_HEALTH: Final = "hospital clinic practice hospice pharmacy care-home nursing-home"
_SCHOOLS: Final = "school university college academy kindergarten institute faculty department lab laboratory"
_FIRMS: Final = """
company firm startup start-up corporation manufacturer retailer supplier vendor carmaker automaker airline brewery
winery bakery restaurant cafe pub hotel shop store boutique supermarket chain publisher newspaper magazine broadcaster
studio label agency consultancy dealership garage factory plant mill mine farm ranch vineyard shipyard utility telecom
operator chipmaker drugmaker giant maker brand provider rival competitor network empire unicorn conglomerate
cooperative co-op contractor subsidiary distributor e-commerce platform franchise
"""
_BODIES: Final = """
church mosque synagogue temple parish charity nonprofit non-profit ngo foundation museum gallery theater theatre
orchestra choir band club team union association council ministry embassy agency commission police-department
fire-department regiment battalion league federation society monastery zoo library observatory
"""

PERSONS: Final[dict[str, str]] = {
    word: kind
    for words, kind in (
        (_PEOPLE, "someone"),
        (_WORKING, "someone at work"),
        (_GUARDS, "someone in uniform"),
        (_ARTS, "someone in sport or the arts"),
        (_LAW, "someone in a case of law"),
        (_TEACHING, "someone in learning"),
        (_PUBLIC, "someone in office"),
        (_MEDICAL, "someone in medicine"),
        (_LEADING, "someone in charge"),
        (_CLOSE, "someone I know"),
    )
    for word in words.split()
}
"""What a person is called by; to what is said instead."""
ORGANIZATIONS: Final[dict[str, str]] = {
    word: kind
    for words, kind in (
        (_BODIES, "a group"),
        (_FIRMS, "a business"),
        (_SCHOOLS, "a place of learning"),
        (_HEALTH, "a place of care"),
        (_MONEY, "a financial business"),
    )
    for word in words.split()
}
