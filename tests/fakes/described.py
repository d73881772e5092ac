"""Requests that describe somebody or some organisation without a name, each description in braces, and ordinary requests.

Those in PUT_ASIDE were written before the rules that they measure, and no rule was made after one of them.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct


class Described(Struct, frozen=True):
    """One request. descriptions: where who it is about is described, in characters. needs: what its answer needs."""

    text: str
    descriptions: tuple[tuple[int, int], ...]
    needs: str


_MARKED: Final = re.compile(r"\{([^}]*)\}")


def _read(lines: str) -> tuple[Described, ...]:
    return tuple(_case(*line.rsplit(" # ", 1)) for line in lines.strip().splitlines())


def _case(marked: str, needs: str) -> Described:
    places: list[tuple[int, int]] = []
    for count, found in enumerate(_MARKED.finditer(marked)):
        places.append((found.start() - 2 * count, found.end() - 2 * count - 2))
    return Described(_MARKED.sub(r"\1", marked), tuple(places), needs)


_WORKED_WITH: Final = """
I need a condolence message for {the stable boy who found the derby winner dead in its box}. # condolence message
{The nutritionist of the national ski jumping team} asked me for lab values. May I share them? # May I share them
Our supplier, {a family firm that has made bells since 1599 and casts them for cathedrals}, is late. Draft a reminder. # Draft a reminder
She {chairs the party, is married to a ballet dancer and had a public breakdown in the chamber}. Write a sympathetic note. # sympathetic note
Client: {female, early 50s, retired figure skater, mother of the current interior minister}. Complains of panic attacks. What should I ask first? # What should I ask first
Write a warning letter to {the cabin crew member who live-streamed the emergency landing}. # warning letter
{The app that lets farmers rent out goats and was featured by the president} was hacked. How do we tell our users? # How do we tell our users
What would be a good toast for {my father in law, who survived two avalanches and teaches Latin}? # good toast
I'm a school counsellor. {A ninth grader whose mum is the weather presenter and whose dad is in jail} cuts herself. What are my duties? # What are my duties
{The only Zoroastrian on our board} objects to the date. How can we reschedule politely? # reschedule politely
Help! {My landlord is the retired drummer of a huge seventies rock band} and he keeps coming in. What rights do I have? # What rights do I have
Please rephrase: {our head of payroll, who won the pie-eating contest on TV}, mixed up the bonuses. # rephrase
{The museum which lost the Vermeer in the flooded basement} wants coverage. Which clauses are needed? # Which clauses are needed
How do I break up with {a guy who is the youngest harbour pilot in the country and my boss's nephew}? # How do I break up
{A man known in town as the one who swam across the strait in a dinosaur costume} applied for the job. Which questions are fair? # Which questions are fair
The defendant {kept forty parrots, taught at the police academy and set fire to his own boat}. What sentence is likely? # What sentence is likely
Give me three subject lines for a mail to {the foundation run by the chewing gum heiress}. # subject lines
{My patient, the last living member of the expedition that mapped the trench}, refuses dialysis. How do I document this? # How do I document this
We want to acquire {the podcast network started by the two fired sports anchors}. What should due diligence cover? # due diligence
{The nurse on ward 6 who used to be a lion tamer} reported me. What happens in such a procedure? # What happens
My student, {the only one here from the Faroe Islands and a budding opera singer}, failed statistics. How do I tell him? # How do I tell him
{The landlady with the one-eyed parrot above the tobacco shop} kept my deposit. Write a firm letter. # firm letter
Draft a statement: {our goalkeeper coach, a father of septuplets}, will miss the final. # Draft a statement
{The analyst on our team who predicted the default of a whole country} is being headhunted. How do we keep her? # How do we keep her
How can I help {a friend who was the face of the milk campaign as a toddler and now has an eating disorder}? # How can I help
{The couple whose wedding was crashed by a bear} wants a refund from our agency. What do we owe? # What do we owe
The prosecutor in {the case of the poisoned choir} is my neighbour. Should I recuse myself? # recuse myself
Write a bio for {an ex-spy who teaches pottery in the Cotswolds and advises two streaming series}. # Write a bio
I run payroll for {a circus with the only polar-bear licence in Moravia}. Which taxes apply to the artists? # Which taxes apply
{Our legal intern, daughter of the judge who annulled the election}, posted about a case. What do I do now? # What do I do now
Support ticket from {the space agency that crashed its lander because of a unit error}: export fails. Suggest a reply. # Suggest a reply
{My ex is the choreographer behind the Olympic opening ceremony}. Can he move abroad with our son? # Can he move abroad
Is it ok to ask {the amputee who runs the climbing gym at the old brewery} for a discount? # discount
{The vineyard that was expropriated twice and is now led by a former astronaut} needs a slogan. Give me five. # slogan
Compare two ways of telling {our eldest partner, who argued the abortion case at the supreme court}, to retire. # Compare two ways
{A colleague who is a hereditary chief and our sole Rust expert} is burned out. What support can I offer? # What support can I offer
He {sold his sock company to the biggest online retailer and lives in a converted windmill}. What wine should I bring? # What wine should I bring
Proofread please: {the ombudswoman, herself once homeless}, criticised the shelter. # Proofread
{The student who hacked the exam server from a hospital bed} appeals. How should the panel vote on procedure? # panel
I am writing about {the general who refused to bomb the bridge and now sells orchids}. What should I fact-check? # fact-check
{The firm that insured the stolen crown} wants our logs. Must we comply? # Must we comply
Our {largest donor, a bottled-water magnate with two pardons}, wants naming rights. How do we answer? # How do we answer
What should I cook for {my girlfriend's grandma who cooked for the shah}? # What should I cook
{The tallest apprentice in the guild, a Sikh roofer}, fell off the scaffold. Who pays his wages? # Who pays his wages
Can I record calls with {the lobbyist who wrote the plastic bag exemption}? # Can I record calls
{The couple next door adopted the orphan from the viral rescue video}. How should my kids behave? # How should my kids behave
Draft a job ad to replace {the taster with the insured tongue at our tea house}. # job ad
My mother {was the translator at the trial of the camp doctor}. Where can I find old records? # find old records
{The gym where the action star broke his neck} offered me a contract. What should I negotiate? # What should I negotiate
The applicant {has published on sloth genetics, was born on a train and coached the president's kids}. Is a second interview useful? # second interview
{Our pediatric heart surgeon who also races sidecars} wants a leave. How do I plan the roster? # plan the roster
I want to sell a story about {the quiz champion and her secret marriage to a bishop}. Is that legal? # Is that legal
{The transgender captain of the lifeboat crew in a Cornish harbour} was misgendered in the press. Draft a correction request. # correction request
{My son's goalkeeper is the great-grandson of a dictator} and gets bullied. What can the club do? # What can the club do
How do we onboard {a blockchain evangelist who was deported from two countries}? # onboard
{A retired coal miner who taught himself to paint and sells to rock stars} wants a will. What do I need from him? # What do I need
Somebody at work, {the lady with the service pony}, is allergic to our carpets. Suggest a fair solution. # fair solution
{The dam engineer who warned the ministry in a letter} died last night. Write a short obituary. # short obituary
Our team {lost its only COBOL wizard, a grandmother from Minsk}. How do we document the batch jobs? # document the batch jobs
What is a tactful way to ask {the quadriplegic novelist on our jury} to step back? # tactful way
{The smallest bank in the canton, led by identical twins}, failed the stress test. Summarise the duties of the auditor. # duties of the auditor
Write an out-of-office for {the curator who dropped the Ming vase in front of the king}. # out-of-office
{My date owns the only drive-in cinema north of the Arctic Circle}. What should I wear? # What should I wear
We are being sued by {the influencer who married a hologram}. What deadlines apply? # What deadlines apply
I'm tutoring {the crown prince's stepdaughter in organic chemistry}. How can I structure the lessons? # structure the lessons
{The warden of the prison with the famous escape tunnel} needs a speech. Outline one. # speech
The vendor {who flew a pig to our trade fair booth} undercut us. What pricing should we use? # pricing
{A hospice patient, once the fastest typist alive}, wants to reconcile with her son. How do I start the conversation? # start the conversation
Explain to {our beekeeper-in-residence, a monk who won a talent show}, why the budget was cut. # why the budget was cut
{The ski resort that burned down on New Year's Eve} owes my firm. How long do claims last? # How long do claims last
Dear support, I'm {the lighthouse inspector for the northern isles and the only user of the lamp module}. How do I export data? # How do I export data
{My niece, a trombonist with one lung}, wants to study abroad. Which insurance is needed? # Which insurance
Write a speech for {the returning alumnus who walked on the moon's far side in that simulation and sued NASA}. # Write a speech
{The diplomat whose dog bit the chancellor} moved into our building. Are pets allowed in such leases? # pets allowed
Our newest sponsor is {the energy drink that gave a man a heart attack on stage}. Should we cancel? # Should we cancel
{The psychologist who treated the trapped miners} plagiarised my paper. Where do I report it? # Where do I report it
Could you write a birthday poem for {my barber, a former kickboxer who lost his title for biting}? # birthday poem
{The agency that represented the cloned sheep's owner} has a vacancy. How do I apply? # How do I apply
In our sprint retro, {the tester who lives in a yurt and speaks Basque} cried. How should I follow up? # follow up
{The mother of the boy who fell into the gorilla pit} joined my yoga class. How do I stay discreet? # How do I stay discreet
As the only pediatric oncologist in our county {I treat a mayor's daughter with a rare bone cancer}. How do I set up a support group? # support group
As {the CFO of a family-owned cement maker with 340 staff near the Polish border}, how should I hedge energy costs? # hedge energy costs
We are {a three-person studio that won the indie award for a game about mushrooms}. How do we pitch to publishers? # pitch to publishers
I work for {the largest private employer in a valley known for its salt mine}. Write a whistleblower complaint. # whistleblower complaint
{My boss recently moved from a rival chip firm, has a pilot licence and got divorced in spring}. How do I negotiate a raise with him? # negotiate a raise
I need advice on handling {a high-profile divorce between a tech founder and a former Miss Universe}. # advice
Draft an internal announcement: {our head of robotics, the one who came from the Mars program}, is leaving. # internal announcement
{Our hospital's sole transplant coordinator had a breakdown after the triple organ mix-up}. We need a plan to cover her shifts. # plan to cover
I'm writing a profile of {the quarterback who gave up a scholarship to become a priest}. Suggest an opening line. # opening line
Can you analyze the market position of {a Danish toy maker whose bricks are in every household}? # market position
What are the tax consequences for {a tennis player who moved to Monaco after her second Grand Slam title}? # tax consequences
{The former head of state who now runs a chicken farm and blogs about jazz} wants a website. What pages should it have? # What pages
Our legal team is reviewing {the NDA of the ex-employee who designed the foldable screen}. What clauses can we enforce? # What clauses
{A prominent local pediatrician, daughter of the first female judge in the state}, was caught shoplifting. How should our paper cover it? # How should our paper cover it
Generate a case summary for {a 29-year-old male nurse and amateur magician admitted after a stage accident}. # case summary
I'd like to surprise {my wife, who teaches Sanskrit at the monastery school and was born on a leap day}. Any ideas? # surprise
{This senior official at the central bank, a marathon runner with a twin at the treasury}, is my client. How do I advise on insider rules? # insider rules
Help us respond to {the blogger who exposed our supplier's child labour and has two million followers}. # respond
Is there any precedent for {a sitting governor being sued by his own gardener over a tulip patent}? # precedent
{Student X transferred from the flooded school, is the only wheelchair user and captains the debate team}. Write an accommodation plan. # accommodation plan
Provide a negotiation strategy against {the streaming giant that cancelled our zombie series after one season}. # negotiation strategy
The {regional manager with the red convertible and three restraining orders} harasses my colleague. What are her options? # What are her options
In our book club, {the retired spy novelist and her parrot} always dominate. How do we set rules? # set rules
My therapist says {I resemble a certain pop star who shaved her head in public}. What does that mean? # What does that mean
{Two of our twelve board members, both ex-generals, own the land under the new stadium}. Which disclosures are required? # Which disclosures
Prepare a risk assessment for {a journalist who interviewed the cartel boss and lives above the bakery}. # risk assessment
We need to notify {the royal household's caterer} about a data breach. What must the notice include? # What must the notice include
{Dr. K., who separated the conjoined twins,} missed a tumour in my scan. Do I have a malpractice claim? # malpractice claim
How would you market {an olive oil pressed by the world's oldest living Olympian}? # market
{The plaintiff is a beauty queen turned coal lobbyist who was bitten by the defendant's ocelot}. What damages can she claim? # What damages
"""
_PUT_ASIDE: Final = """
I'm preparing a brief on {the ophthalmologist in our network who operates on a mobile boat along the Amazon}. Which insurance questions come up? # insurance questions
{The woman who runs the last typewriter repair shop on the island} asked us for a microloan. What terms are reasonable? # terms are reasonable
Our biggest churn risk is {the Scandinavian furniture chain that moved its headquarters to a former submarine base}. Draft a retention email. # retention email
Please write talking points about {the deputy who switched parties twice and whose brother owns the local newspaper}. # talking points
I supervise {a doctoral candidate who fled Eritrea and now studies bioluminescent fungi under the only mycologist on staff}. How do I raise plagiarism? # How do I raise plagiarism
Hi team, {the account that bought all three of our Antarctic weather stations} wants a refund. How should support respond? # How should support respond
She {was the flight attendant who evacuated a burning plane in Osaka and later wrote a cookbook}. Can you suggest a therapist letter? # therapist letter
Help me word a breakup text to {the guy I met at the regional falconry finals, he restores organs for cathedrals}. # breakup text
We represent {the widow of the stuntman who died on the set of that desert war film}. What is the limitation period? # limitation period
Is it defamation to say that {the host of the country's longest running quiz show shoplifted a watch}? # Is it defamation
My kid shares a class with {the son of the exiled opposition leader who was poisoned with nerve agent}. Should I talk to the school? # Should I talk to the school
Write a performance review for {our night-shift forklift driver, the one who lost two fingers in the palletizer}. # performance review
Patient: {47M, championship bass fisherman, only survivor of the ferry capsizing}. Presents with insomnia. Suggest next steps. # Suggest next steps
{The startup that makes edible drone packaging and was founded by two sisters who dropped out of culinary school} wants to hire us. Draft a polite no. # Draft a polite no
What do I say to {my bandmate who was adopted by the accordion teacher from our conservatory}? # What do I say
For the newsletter: {the parish priest who keeps racing pigeons and blessed the new stadium} is retiring. Write two sentences. # Write two sentences
In standup today {the contractor who wrote the fraud model and lives on a houseboat} said he's leaving. How do we transfer knowledge? # How do we transfer knowledge
A source told me that {the undersecretary who plays cello in a tango quartet} leaked the memo. How do I protect the source? # How do I protect the source
{My aunt is the archbishop's personal cook} and she has been sleeping badly. What can help her? # What can help her
I treat {a teenage chess prodigy whose mother is the finance minister}. How should I handle confidentiality? # How should I handle confidentiality
Our tenant in unit 4, {the ventriloquist who performed for the royal family}, hasn't paid rent. Draft a notice. # Draft a notice
{The company behind the recalled talking doll} asked for a quote. What payment terms should we demand? # What payment terms
Compose a thank you to {the anonymous donor who made a fortune in ball bearings and paid for our new planetarium}. # Compose a thank you
How should HR react when {the sole Icelandic speaker in the call centre, also a weightlifting referee}, asks for part-time? # HR
I went on two dates with {a paralympic archer who hosts the morning radio show here}. Is it rude to ask about her accident? # Is it rude
{The senator with the glass eye who filibustered for nineteen hours} endorsed us. Write a reply. # Write a reply
Explain in simple words what happens next: {the trawler captain who rammed a patrol boat near Lampedusa} was released on bail. # what happens next
Our client {manufactures nine out of ten zippers used in Europe and is run by a former nun}. Which risks should the audit cover? # Which risks should the audit cover
{The kid in my fourth grade class who lost both parents in the cable car accident} stopped speaking. What should I try? # What should I try
Dear all, {our founder, who sailed solo around the globe before turning thirty}, had a stroke. Please improve the tone of this mail. # improve the tone
{The pharmacist on the base, a twin whose sister is the colonel's wife}, diverted pills. Who must be informed? # Who must be informed
Give me interview questions for {the engineer who designed the collapsed footbridge at the university in Miami}. # interview questions
I coach {the girl who broke the under-12 backstroke record and whose dad was the disgraced club treasurer}. How do I motivate her? # How do I motivate her
{A rapper turned state legislator who owns a goat farm} bought a policy from us. Can we cancel it? # Can we cancel it
The complaint comes from {the lady who feeds the herons by the opera house every dawn}. Write a friendly answer. # friendly answer
My sister {works as the only midwife on a Hebridean island and is expecting twins herself}. What should she plan for? # What should she plan for
{Our competitor, the one that sponsors the blue cycling team and got fined for price fixing}, is poaching staff. How do we react? # How do we react
Summarise for the board: {the plant manager in Chihuahua, ex-bullfighter}, falsified the emission logs. # Summarise for the board
We fired {the animator who drew the fox in that Oscar-nominated short}. Draft a settlement offer. # settlement offer
What legal options has {a whistleblowing beekeeping inspector who exposed the honey cartel}? # What legal options
{The teacher who was on the front page for hiding students during the siege} needs a sabbatical. How do I approve it fairly? # approve it fairly
I share an office with {a Nobel laureate's grandson who breeds axolotls}. How can I ask him to be quieter? # ask him to be quieter
{The billionaire heir to a detergent empire who collects meteorites} missed the call. Write a follow-up. # Write a follow-up
Can you make this warmer: {our oldest volunteer, a codebreaker in the war}, passed away on Sunday. # warmer
{A deaf sommelier at the three-star place by the harbour} is suing over a tip pool. What evidence matters? # What evidence matters
I have a crush on {the barista with the Viking tattoo who studies astrophysics at the polytechnic}. What should I write on the cup? # What should I write
{The first family to be resettled in our valley after the war} can't read the tax form. How can our office help them? # help them
Is there a conflict of interest if {our mayor's husband, who owns the gravel pit}, bids for the road? # conflict of interest
{The goalie who let in nine goals in the derby and then became a monk} wants his memoir edited. What should I charge? # What should I charge
Our QA lead, {a former submarine sonar operator with perfect pitch}, burnt out. Plan his return to work. # return to work
Respond to this ticket: {the observatory that discovered the interstellar comet} can't log in. # Respond to this ticket
{Someone on my floor, a countess by marriage, breeds ferrets illegally}. Whom do I call? # Whom do I call
He {lost the regional election by four votes and his barn burned down the same night}. How do I console him? # How do I console him
Could you draft a eulogy for {the man who drove the number 12 tram for forty-one years and taught half the town to whistle}? # draft a eulogy
I'm the estate lawyer of {the reclusive painter who only used coffee and lived in a lighthouse}. How do I value her works? # value
{The company whose chatbot insulted a prime minister} wants a crisis plan. Outline it. # Outline it
{My stepdad, the only person in the county to win the lottery twice}, asked about gift tax. What are the rules? # What are the rules
We scheduled {the biathlete who tested positive at the worlds and claims it was her grandmother's ointment}. Prepare an interview guide. # interview guide
Is a referral needed if {my client who was a child soldier and now drives a school bus} has flashbacks? # referral
Write a LinkedIn recommendation for {the intern who rebuilt our warehouse robot while recovering from a shark bite}. # LinkedIn recommendation
{The producer of the banned documentary about the dam} owes us money. How do we collect? # How do we collect
There is {one Maori surgeon at our hospital and he refuses the vaccine}. How should the committee proceed? # How should the committee proceed
Tell me how to invite {the reclusive mathematician who turned down a million dollar prize} to a panel. # invite
{The house on the hill belongs to a cryptocurrency founder in hiding}. Can I list it? # Can I list it
My roommate's girlfriend, {who was on the reality show with the llamas}, steals food. What do I do? # What do I do
{Our only enterprise customer in Greenland} exceeded its quota. Write a friendly warning. # friendly warning
I manage {a stand-up comic moonlighting as a tax inspector}. Is a second job allowed? # second job allowed
Draft minutes: {the treasurer, a descendant of the town's founder and the sole vegan butcher around}, moved to dissolve the guild. # Draft minutes
{A judge who once was a rodeo clown} will hear our case. How do we prepare? # How do we prepare
What gift suits {my mentor, inventor of the folding kayak and grandmother of quintuplets}? # What gift
{The pilot of the plane that landed in the cornfield} flies with us next week. Write a welcome note. # welcome note
Someone in my support group {is the ex-wife of the hockey captain who went to prison for match fixing}. May I mention her in my blog? # mention her
{The restaurant where the ambassador choked} failed inspection. What must the report contain? # What must the report contain
We lent money to {the shipyard that built the ice-class yacht for the oligarch's daughter}. How do we secure the loan? # secure the loan
My cousin {ran the vaccine trial that was halted after the second death}. How can she find a new job? # find a new job
{The lone Green on the town council, a blacksmith}, wants my endorsement. How do I decline? # How do I decline
Could you help me apologise to {the widow whose husband's funeral our florist shop ruined on live TV}? # apologise
{A customer with a prosthetic leg who climbed three eight-thousanders} wants sponsorship. Make a checklist. # checklist
Which accommodations fit {our blind piano tuner, hired after winning the national memory contest}? # Which accommodations
{The village's last shepherd has a nephew in parliament} and wants a subsidy. What forms are needed? # What forms are needed
"""
_ORDINARY: Final = """
What is the largest desert in the world that isn't hot?
Who invented the printing press, and where did he live?
Which company built the first commercial jet airliner?
Why did the only emperor of Brazil born there abdicate?
Name the youngest person who ever won a Nobel Prize.
How tall is the highest mountain in Africa?
When was the treaty of Westphalia signed and by whom?
Tell me about the first woman who flew across the Atlantic.
What are the side effects of ibuprofen?
How does a heat pump work in winter?
Explain the difference between a bank and a credit union.
What does the mayor of a German city do?
How do vaccines protect children from measles?
Is it true that most doctors in Japan work for hospitals?
What is the population of Iceland?
List five famous painters of the Renaissance.
Write a Python function that returns the first duplicate in a list.
Why does my loop never end? `while i < 10: print(i)`
My code throws a KeyError when the user has no e-mail. How do I fix it?
Refactor this class so that the owner is passed in the constructor.
How do I revert the last commit in git without losing changes?
Our CI fails with exit code 137. What does that mean?
Write a SQL query that finds customers who ordered more than three times in 2023.
What is the best way to mock a client in pytest?
Convert this date to ISO: March 3, 2021.
Explain what a mutex is to a junior developer.
How do I centre a div?
I get a 502 from nginx after the upgrade. Where should I look?
Sarah has 12 apples and gives 5 to her brother. How many are left?
A baker sells 120 loaves a day at $3 each. How much does he earn in a week?
A train leaves Chicago at 9 am at 60 mph. When does it arrive in a town 300 miles away?
If a farmer has 17 sheep and all but 9 die, how many are left?
Tom is twice as old as his sister was 5 years ago. She is 20 now. How old is Tom?
A shop owner buys 40 shirts for $400 and sells each for $15. What is his profit?
The teacher has 30 students and 4 pizzas with 8 slices each. How many slices does each student get?
Calculate 15% of 240.
A company has 200 employees and 35% are women. How many men are there?
Write a short story about a dragon who is afraid of fire.
Write a poem about a lonely lighthouse keeper.
Invent a villain: a retired surgeon who steals memories in Venice.
Continue the story: The old king died in winter, and his daughter took the crown.
Write a dialogue between a detective and a thief on a train in 1920.
Describe a fantasy village of dwarves who brew beer.
Create a character sheet for a half-elf ranger who lost her brother.
Give me a plot twist for a novel about a nurse in wartime.
Write a limerick about a man from Nantucket.
How do I make sourdough bread?
Give me a vegan lasagna recipe for eight people.
How long do I boil an egg at 2,000 meters?
What can I cook with leftover rice and two carrots?
Suggest a menu for a dinner with my parents.
How do I get red wine out of a carpet?
How often should I water a cactus?
Plan a three day trip to Rome with two kids.
What should I pack for a hike in October?
Translate "good morning, how are you" into Korean.
Translate into French: Where is the train station?
What is the plural of octopus?
Check the grammar: He don't like to go there.
Write a cover letter for a junior accountant.
Write a cancellation letter for my gym membership.
Draft an email asking my manager for a day off.
Suggest names for our new cat.
How do I ask my boss for a raise?
Write an invitation to our summer party.
What should a good privacy policy contain?
How do startups raise money?
Summarize the plot of Hamlet.
Explain how elections work in Switzerland.
Which teams played in the first World Cup final?
How do I train for a marathon in four months?
What is the difference between a psychologist and a psychiatrist?
How much water should an adult drink in a day?
What are good questions for a job interview?
Make a table of the planets with their moons.
Explain recursion with an example.
What is the best age to learn to swim?
How can I sleep better?
Give me ten ideas for a birthday present for a friend.
How do I write a good thank-you note?
What does "force majeure" mean in a contract?
Compare electric cars and hybrid cars.
Which foods should people with diabetes avoid?
What happened in Chernobyl in 1986?
"""
WORKED_WITH: Final = _read(_WORKED_WITH)
PUT_ASIDE: Final = _read(_PUT_ASIDE)
ORDINARY: Final = tuple(_ORDINARY.strip().splitlines())
