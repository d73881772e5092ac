"""Questions of our own that are answered in a sentence: what further answers in prose are worth is learned from them.

Whether an answer is right is told by whether it has the words that a right one can't do without. That is a weak judge: a
sentence may have them and be wrong, or be right in other words. So such answers teach what agreement is worth, and
nothing is promised of them.
"""

from __future__ import annotations

import hashlib
from itertools import chain, zip_longest
from typing import Final

from msgspec.structs import replace

from daemon.certifying.own_questions import SEED, own
from daemon.certifying.questions import Question

_AUTHOR: Final = "nearloop"
_LEADS: Final = ("Explain in one sentence:", "Describe in one sentence:", "Write one sentence that answers this:")
_WHY: Final = tuple(
    line.split("=")
    for line in """Why do leaves look green?=chlorophyll
Why does ice float on water?=less dense|lower density|density
Why is the sky blue on a clear day?=scatter|scatters|scattered|scattering
Why do we see lightning before we hear thunder?=faster|speed of light|speed of sound
Why does the moon seem to change its shape?=sun|sunlight|sunlit
Why do we have day and night?=rotates|rotation|rotating|spins|turns|axis
Why do we have seasons?=tilt|tilted|axis
Why do ships made of steel float?=displace|displaces|displaced|displacement|buoyancy|buoyant|density|dense
Why is the sea salty?=minerals|rocks|rivers|dissolved
Why do magnets attract iron?=magnetic
Why do bees visit flowers?=nectar|pollen
Why do birds fly south in winter?=warmer|food|warm
Why do people sweat when they are hot?=cool|cools|cooling|evaporates|evaporation|temperature
Why do cats have whiskers?=sense|touch|feel|navigate
Why do fish have gills?=oxygen|breathe
Why do plants need sunlight?=photosynthesis|energy|food
Why do bears sleep through the winter?=food|energy
Why do onions make people cry?=gas|sulfur|sulphur|sulfuric|acid
Why does bread rise?=yeast|carbon dioxide|gas
Why does iron turn brown and crumble in the rain?=oxygen|water|oxidation|moisture|oxidizes
Why do astronauts float in space?=gravity|free fall|freefall|microgravity|weightless|weightlessness
Why do we need sleep?=rest|brain|body|memory|recover|repair
Why do we put salt on icy roads?=melt|melts|melting|freezing point
Why does a balloon filled with helium rise?=lighter|less dense|density
Why do we wear white clothes in summer?=reflect|reflects|reflecting
Why do people wear seat belts?=safe|safety|protect|protects|injury|injuries|crash|accident
Why do camels have humps?=fat
Why do giraffes have long necks?=leaves|trees|food
Why do rivers flow towards the sea?=gravity|downhill|lower
Why does a pendulum stop at last?=friction|resistance|air
Why can we not breathe under water?=oxygen|lungs|gills
Why is Venus hotter than Mercury?=atmosphere|greenhouse|carbon dioxide
Why are diamonds so hard?=carbon|bonds|covalent
Why do stars twinkle?=atmosphere|air|turbulence
Why does hot air rise?=less dense|lighter|density|expands
Why do eyes have pupils?=light
Why do knives cut better when they are sharp?=pressure|area|edge|force|thin|thinner
Why do we boil drinking water?=kill|kills|bacteria|germs|microorganisms|pathogens
Why do bats call out in the dark?=echolocation|echo|echoes|navigate
Why did people build castles?=defend|defense|defence|protect|protection|enemies|attack|attacks
How does a thermometer made of glass show that it gets warmer?=expands|expand|expansion|rises
How does a plant take in water?=roots|root
How does a caterpillar become a butterfly?=metamorphosis|cocoon|chrysalis|pupa
How does a spider catch flies?=web|webs|silk
How do penguins keep warm?=fat|blubber|feathers|huddle|huddling
How does a sailing boat move?=wind
How does a compass find north?=magnetic|magnet|magnetised|magnetized
How do vaccines protect people?=immune|antibodies|immunity
How does soap remove grease?=molecules|molecule|surfactant|surfactants|oil|emulsify
How do solar panels make electricity?=sunlight|light|photons|sun
How does a refrigerator keep food cold?=heat|refrigerant|coolant
How do whales breathe?=blowhole|blowholes|lungs|surface
How does the heart help the body?=blood
How do lungs help the body?=oxygen
How does a snake smell?=tongue
How do mountains come about?=plates|tectonic|collision
Explain in one sentence how glass is made.=sand|silica
Explain in one sentence how paper is made.=wood|pulp|trees
Explain in one sentence how cheese is made.=milk|curd|curds
How do owls hunt at night?=hearing|hear|eyes|vision|eyesight|night vision
How does a parachute slow a fall?=air resistance|drag|resistance|air
How do chameleons change their colour?=cells|chromatophores|skin|pigment|crystals
How does a microwave oven heat food?=water|molecules|microwaves
How do tides come about?=moon|gravity|gravitational
How does a rainbow come about?=refraction|refracted|refracts|water|raindrops|light
Describe in one sentence what a dentist does.=teeth|tooth|dental
Describe in one sentence what a plumber does.=pipes|water|plumbing
Describe in one sentence what a beekeeper does.=bees|honey|hives
Describe in one sentence what a librarian does.=books|library
Describe in one sentence what an astronomer studies.=stars|planets|space|universe|celestial|galaxies
Describe in one sentence what a botanist studies.=plants|plant
Describe in one sentence what a geologist studies.=rocks|earth
Describe in one sentence what a cobbler makes.=shoes|shoe|boots
Describe in one sentence what a barometer measures.=pressure
Describe in one sentence what an umbrella is for.=rain|sun
Describe in one sentence what a lighthouse is for.=ships|boats|sailors
Describe in one sentence what a stethoscope is for.=heart|heartbeat|lungs|listen|sounds
Describe in one sentence what a lock is for.=secure|open|key|security|door
Describe in one sentence what a cradle is for.=baby|infant|babies""".splitlines()
)


def own_prose(count: int, seed: int = SEED) -> list[Question]:
    """So many different questions that want a sentence: why and how, and facts and texts to read put so that a sentence
    answers them. The same for the same seed; fewer if there are no more.
    """
    why = [
        Question(f"own-prose-{place}", "own_why", _AUTHOR, asked, tuple(right.split("|")), "words", "plain")
        for place, (asked, right) in enumerate(_WHY)
    ]
    others = [in_prose(question) for question in own(6 * count, seed + 1) if question.check == "words"]
    return [each for each in chain.from_iterable(zip_longest(why, others)) if each is not None][:count]


def in_prose(question: Question) -> Question:
    """A question whose answer is words, put so that a sentence answers it."""
    before, _, asked = question.text.rpartition("\n")
    lead = _LEADS[hashlib.sha256(question.id.encode()).digest()[1] % len(_LEADS)]
    text = f"{before}\n{lead} {asked}" if before else f"{lead} {asked}"
    return replace(question, id=f"prose-{question.id}", source=f"{question.source}_prose", text=text, style="plain")
