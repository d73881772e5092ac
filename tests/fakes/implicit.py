"""Requests that tell of somebody who could be guessed, written for tests and benchmarks, and such that tell of nobody.

Of each: the text, what of it points at whom (parts by `|`), and words that the answer needs.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Case(Struct, frozen=True):
    """One request. points: what must not leave. needs: what a reduced one has to keep."""

    text: str
    points: tuple[str, ...]
    needs: tuple[str, ...]


_LINES: Final = """
Draft a farewell note for the only female VP of engineering in our Berlin office, who resigned last March. # only female VP|Berlin|last March # Draft|farewell note
My neighbor, a 62-year-old retired judge from Burlington, was diagnosed with leukemia. How can I support him? # retired judge|Burlington|62-year-old # How can I support
I run the only bakery in a town of 900 people in Vermont and I was audited in 2022. What should I ask my tax adviser? # only bakery|900 people|Vermont|2022 # What should I ask
The CEO of a mid-sized bank in Leeds was fired yesterday after an affair. Write a neutral press release. # mid-sized bank|Leeds|affair # Write|press release
Our lead cardiologist at the county hospital wants to sue after the accident on 3 May 2021. Draft a letter to the board. # lead cardiologist|county hospital|3 May 2021 # Draft a letter
Write a reference letter for the former captain of the Norwegian women's curling team who now teaches in Tromsø. # curling team|Tromsø|former captain # Write a reference letter
The youngest city councillor in Dayton had a miscarriage last week. Suggest how her team can cover for her. # youngest city councillor|Dayton|miscarriage # Suggest
Please proofread this: our only blind developer, hired in June 2023, asked for another screen reader. # only blind developer|June 2023 # proofread
A 34-year-old nurse from a small town in Oregon asked me about gambling debts of $48,000. What should I tell her? # 34-year-old|small town|Oregon|48,000 # What should I tell
Summarize: the principal of the largest high school in Fresno was arrested in 2019 for fraud. # largest high school|Fresno|2019 # Summarize
My brother, the only openly gay firefighter in our county, got promoted. Write a toast. # openly gay firefighter|our county # Write a toast
How do I comfort my boss, who lost her twin sister in a plane crash in Nepal last year? # twin sister|Nepal|last year # How do I comfort
The violinist who won the state competition in 2015 and now lives in Boise has epilepsy. Is it safe for her to drive? # violinist|2015|Boise # safe for her to drive
Write an apology from the mayor of a small coastal town in Maine who was recorded insulting a veteran. # mayor|coastal town|Maine # Write an apology
The head nurse of the only hospice in Sitka has been embezzling. How do I report it? # head nurse|only hospice|Sitka # How do I report
We must lay off the only Korean engineer in our Austin team. Draft the talking points. # only Korean engineer|Austin # Draft the talking points
Our biggest customer, a family-owned winery in the Barossa Valley with 40 employees, is bankrupt. Draft a memo. # winery|Barossa|40 employees # Draft a memo
My ex-husband, an airline pilot based in Denver, failed a drug test in August. Can I ask for sole custody? # airline pilot|Denver|August # custody
The translator who worked for the ambassador in Kabul in 2020 needs a visa. Write a letter of support. # translator|Kabul|2020 # Write a letter of support
I'm the only female pastor in a village of 300 people near Ulm and I am pregnant. How do I tell the parish council? # only female pastor|300 people|Ulm # How do I tell
A retired Olympic swimmer who lives on my street in Tucson was hospitalized on Monday. What gift is suitable? # Olympic swimmer|Tucson|Monday # What gift
Rewrite politely: the CFO of our largest competitor in Ghent was seen drunk at the fair in October. # CFO|largest competitor|Ghent|October # Rewrite politely
My daughter's math teacher, a former chess champion from Armenia, was suspended in April. Should I write to the school? # math teacher|chess champion|Armenia|April # Should I write
The founder of a Fortune 500 retailer in Arkansas had a stroke last night. Prepare questions for the press. # founder|Fortune 500|Arkansas # Prepare questions
The only astronomer at our observatory who speaks Finnish filed a harassment complaint in 2021. Outline next steps. # only astronomer|Finnish|2021 # Outline next steps
Our CTO, who sold his first startup to a chipmaker in 2012, wants a divorce. How do we plan for his absence? # CTO|chipmaker|2012 # How do we plan
My landlord, an 81-year-old widower in Quincy, has dementia. Who signs the lease now? # 81-year-old widower|Quincy # Who signs the lease
Write a condolence card for the family of the miner who died in the explosion near Wheeling in 2010. # miner|Wheeling|2010 # Write a condolence card
The lighthouse keeper on a remote island in Shetland is being evicted. How can we help her? # lighthouse keeper|Shetland # How can we help
A state senator from Wyoming who raises bison asked my clinic for an abortion. How do we protect her data? # state senator|Wyoming|bison # How do we protect
Review this: the sole black partner of our law firm in Omaha resigned after the merger in January. # sole black partner|Omaha|January # Review
The goalkeeper of the second-largest club in Porto asked our bank for a loan of €2.4 million. Draft a reply. # goalkeeper|Porto|2.4 million # Draft a reply
My cousin, a beekeeper in rural Slovenia, inherited $3 million last summer. What taxes are due? # beekeeper|Slovenia|3 million # What taxes
The first transgender officer of the police department in Tulsa is on leave. Write a note to the team. # transgender officer|Tulsa # Write a note
How should I answer the journalist who exposed the water scandal in Flint and now writes about our plant? # journalist|Flint # How should I answer
The intern from Lagos who joined in September leaked the roadmap. Draft a warning. # intern from Lagos|September # Draft a warning
My therapist, the only one in a town of 1,200 people, is my neighbor's wife. Is that a conflict? # 1,200 people|only one # Is that a conflict
Our dean at the agricultural college in Iowa plagiarized her thesis in 1998. What are our options? # dean|agricultural college|Iowa|1998 # What are our options
A billionaire who owns a rocket company and a social network cancelled our contract in May. Write a short statement. # billionaire|rocket company|social network|May # Write a short statement
The oldest resident of our nursing home in Bergen, aged 104, survived a shipwreck in 1943. Help me write a toast. # oldest resident|Bergen|104|1943 # Help me write a toast
Please edit: the only surgeon in Nunavut who does transplants is moving away in July. # only surgeon|Nunavut|July # edit
My student, a refugee from Aleppo with one arm, won the regional science fair. Write a recommendation. # refugee|Aleppo|one arm # Write a recommendation
The dentist next to the station in Hilo lost his license in 2017. How do I find a new one? # dentist|Hilo|2017 # How do I find a new one
Our receptionist, a single mother of four from Kraków, has been late since Easter. How do I raise it kindly? # receptionist|single mother of four|Kraków # How do I raise it
Write a speech for the outgoing president of the largest teachers union in Quebec. # outgoing president|largest teachers union|Quebec # Write a speech
The widow of the trucker killed on the bridge in Genoa in August 2018 wants to sell her house. What should she know? # widow|trucker|Genoa|August 2018 # What should she know
My roommate is the drummer of a metal band that went viral in Finland last winter and he owes me rent. What now? # drummer|Finland|last winter # What now
The most senior data scientist in our Zagreb lab has Parkinson's. How can we adapt the desk? # data scientist|Zagreb|Parkinson # How can we adapt
A councilwoman in Sedona with a wolf sanctuary was sued by her sister. Explain the process. # councilwoman|Sedona|wolf sanctuary # Explain the process
Our night guard at the museum in Ghent, a former boxer, found a forged painting. Draft an internal note. # night guard|museum|Ghent|former boxer # Draft an internal note
My patient, a 19-year-old gymnast who trains for the Olympics in Lyon, is anorexic. Suggest a meal plan. # 19-year-old gymnast|Olympics|Lyon # Suggest a meal plan
The only Michelin-starred chef in Bratislava hired my son in March. Write a thank-you note. # Michelin-starred chef|Bratislava|March # Write a thank-you note
Translate: the widowed owner of the oldest pharmacy in Toledo is selling after 41 years. # owner|oldest pharmacy|Toledo|41 years # Translate
Our newest hire, an ex-marine with PTSD from Tampa, shouted at a client on Friday. What should HR do? # ex-marine|PTSD|Tampa|Friday # What should HR do
The choir director of a Lutheran church in Duluth had an affair in 2020. How do we tell the parish? # choir director|Lutheran church|Duluth|2020 # How do we tell
A geologist who predicted the landslide near Oso in 2014 is applying here. Prepare interview questions. # geologist|Oso|2014 # Prepare interview questions
My uncle, a general who commanded troops in Mali, has lung cancer. What should we ask the doctor? # general|Mali|lung cancer # What should we ask
The brewery that my wife founded in Asheville in 2009 is being acquired for $30 million. List what to check. # brewery|Asheville|2009|30 million # List what to check
Our school's only Sikh teacher was attacked in Leicester last Tuesday. Write a message to parents. # only Sikh teacher|Leicester|last Tuesday # Write a message
The astronaut who grew up in our village of 700 people visits on 12 June. Plan a program. # astronaut|700 people|12 June # Plan a program
An investor in Monaco who made his fortune in bananas wants our cap table. What should we send? # investor|Monaco|bananas # What should we send
My colleague, the tallest woman in the Leipzig office, is getting married in May. Write a limerick. # tallest woman|Leipzig|May # Write a limerick
The whistleblower who reported our plant in Gdansk in 2022 has been fired. Draft a reply to the union. # whistleblower|Gdansk|2022 # Draft a reply
The last speaker of the dialect in a valley in Piedmont, aged 93, recorded songs for us. Write a thank-you letter. # last speaker|Piedmont|93 # Write a thank-you letter
"""
CASES: Final = tuple(
    Case(text.strip(), tuple(points.strip().split("|")), tuple(needs.strip().split("|")))
    for text, points, needs in (line.split(" # ") for line in _LINES.strip().splitlines())
)
HARMLESS: Final = (
    "Who was the first president of the United States?",
    "Write a poem about spring in Paris.",
    "How do I sort a list in Python? My boss wants it today.",
    "Explain how a doctor diagnoses cancer.",
    "What is the capital of the largest country in Africa?",
    "Draft an email to my landlord about the broken heater.",
    "Can you suggest a name for a bakery?",
    "Summarize the causes of the French Revolution.",
    "What should a nurse earn in Texas?",
    "Write a unit test for this function and explain it.",
    "Translate to German: the train leaves at nine.",
    "I need a packing list for two weeks in Iceland.",
    "List three facts about the Olympic Games of 1936.",
    "What are the symptoms of diabetes in children?",
    "Plan a birthday party for my daughter with a budget of $200.",
    "Which company makes the best laptops for students?",
    "Give me a recipe for lentil soup for six people.",
    "Is it legal to record a meeting in California?",
    "Rewrite this sentence: the meeting was moved to Tuesday.",
    "Compare the teacher's role in Finland and Japan.",
    "Write a cover letter for a job as a software engineer.",
    "How do companies recover from a data breach?",
    "When did the last emperor of China die?",
    "My printer is out of ink and the store is closed. What can I do?",
    "Create a training plan for a runner who wants to finish a marathon.",
    "What does a CFO do?",
    "Help me write a haiku about an old pond.",
    "I moved to Canada last year. How do I file taxes?",
    "Describe the plot of a novel about a detective in London.",
    "Generate ten questions for an interview with a product manager.",
)
