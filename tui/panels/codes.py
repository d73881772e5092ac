"""Words for the codes of a record, short enough for a panel; `nearloop why` has the long ones."""

from __future__ import annotations

from typing import Final

from tui.tones import Toned

REACH: Final = {
    "device": Toned("⌂ has to stay on this machine", "good"),
    "masked": Toned("◐ may leave with the found values masked", "warn"),
    "open": Toned("○ may leave as it is", "plain"),
}
TREATMENT: Final = {
    "stay": Toned("keeps it here", "good"),
    "ask": Toned("you are asked", "warn"),
    "reduce": Toned("said with less", "warn"),
    "mask": Toned("masked", "warn"),
    "pass": Toned("let pass", "bad"),
}
WHY: Final = {
    "asked": "the client or its project asked for that",
    "local-only": "this machine is local-only",
    "private": "the policy decides so about such values",
    "identifying": "somebody could be guessed by what it tells",
    "not-maskable": "a value stands where nothing can be replaced",
    "not-readable": "a part of it can't be looked at",
    "signal-failed": "a privacy check failed",
    "signal-late": "a privacy check was not done in the time that it has (`signals.deadline_s`)",
    "doubtful": "a decision that might have kept it here could not be judged",
    "denied": "you didn't let it leave",
    "not-answered": "nobody said in time whether it may leave",
    "crowded": "too many requests waited for your word",
}
RULES: Final = {
    "auto-no-cloud": "only local models are set up",
    "auto-no-token": "a client without a token stays here",
    "auto-private": "it has to stay here",
    "auto-offline": "this machine is on no network",
    "auto-away": "nobody beyond this machine can be asked now",
    "auto-budget": "what may be spent in clouds is spent",
    "auto-pictures": "its own models only read the words in pictures",
    "auto-skip-local": "this machine would have taken too long",
    "auto-after-collapse": "the answer before it turned out otherwise than it began",
    "auto-confidence": "this machine first, the cloud if that is not sure",
    "model-local": "this machine's default model was asked for",
    "model-named": "this model was asked for by name",
    "model-budget": "the cloud was asked for, and what may be spent there is spent",
    "model-cloud": "the cloud was asked for",
    "recipe": "a recipe's decision",
}
NOTES: Final = {
    "not-set-up": "some of its models are not set up here",
    "no-token": "some of its models are not for clients without a token",
    "private": "some of its models may not see the request",
    "offline": "some of its models are on a network, and there is none",
    "limited": "some of its models are at their provider's limit",
    "down": "some of its models are at a provider that fails",
    "no-credit": "some of its models are at a provider without credit",
    "budget": "some of its models cost more than may be spent now",
    "algorithm-not-here": "it asks in a way that isn't here yet: the first model alone",
    "not-able": "some of its models can't answer such a request",
    "collapsed": "whose answer before turned out otherwise is passed over",
    "stays": "the conversation stays with its model",
    "doubtful": "in doubt it stays here",
}
UNSEEN: Final = {
    "not-looked": "nobody was asked to look",
    "not-installed": "what looks at pictures is not installed",
    "late": "no time was left to look",
    "too-many": "more pictures than are looked at",
    "too-large": "too large",
    "too-many-pixels": "too many pixels",
    "too-many-frames": "too many frames",
    "too-many-pages": "too many pages",
    "unknown-format": "no format that is read here",
    "broken": "broken",
    "encrypted": "encrypted",
    "elsewhere": "only its address is here",
    "not-fetched": "its host could not, or may not, be asked for it",
    "not-a-picture": "no picture but another file",
    "holds-files": "other files are in it",
    "foreign-form": "a form that only its maker's program shows",
    "two-formats": "a picture and a PDF at once",
    "crashed": "what looked at it broke",
    "out-of-memory": "it would take too much memory",
}
LOOPER_NOTES: Final = {
    "budget": "what was left of a limit was spent meanwhile, so a model here answered",
    "one-key": "a call that should have two keys went out on one: nobody else could be asked",
    "keys-differ": "a second answer did not call the same",
    "no-tool-fits": "no tool seems to fit, so a draft's call did not count",
    "never-alone": "your settings never leave such a call to a draft",
    "mended": "the failing pieces of a draft were asked for again, the others stayed",
    "mending-failed": "asking for the failing pieces again was no use, so all of it was",
    "not-in-time": "a draft could not be judged in time",
    "stopped-early": "a draft was stopped: it could not have become sure enough",
    "samples-failed": "further answers to compare a draft with could not all be had",
    "not-verified": "nobody could say whether a draft is right, so it did not count",
    "left-out": "who may not be asked was left out",
    "still-readable": "a value could be read in a picture after it was painted over, so the picture did not leave",
    "not-painted": "a picture could not be made anew without what has to be masked, so it did not leave",
    "nobody-beyond": "nobody beyond this machine may be asked after all",
    "below-quorum": "fewer answers came than the recipe wants",
    "round-timed-out": "a round's time was over before all had answered",
    "verdict-unreadable": "a judge's verdict could not be read",
    "synthesis-failed": "nobody could write one answer of them: the best is the answer",
    "no-grounding": "how well answers are grounded could not be measured",
    "filtered": "an answer was left out: others contradict it",
    "plan-unreadable": "the plan could not be used: one step was made of it",
    "flow-lost": "the work that waited for a tool was not known any more",
    "flow-paused": "the work waits for the tool that it called",
    "contract-repaired": "the answer was brought into the form that was wanted",
    "contract-broken": "the answer has not the form that was wanted",
}
COLLAPSES: Final = {
    "fell": "the whole was far less sure than its beginning",
    "unusable": "it turned out to be nothing that can be used",
    "repetitive": "it went on repeating itself",
}
EFFECTS: Final = {
    "read": "only reads",
    "write": "changes what can be changed back",
    "execute": "runs programs",
    "network": "reaches other machines",
    "irreversible": "spends money or can't be undone",
    "unknown": "does what nobody here knows",
}
KEYS: Final = {
    "usual": "no more than any answer",
    "surer": "to be surer than words",
    "two": "a second answer that calls the same",
    "independent": "another model that calls the same",
    "beyond": "somebody else to answer",
}
WHY_NOT_REDUCED: Final = {
    "tools": "it is more than a conversation",
    "told": "somebody could still be guessed, or too little was left",
    "long": "it is too much for the model that rewrites",
    "model": "the model that rewrites gave nothing in time",
    "unsure": "what the model made of it may still tell too much",
}
ANSWERS: Final = {
    "allowed": Toned("you let it", "warn"),
    "masked": Toned("you let it, masked", "warn"),
    "denied": Toned("you didn't let it", "good"),
    "not-answered": Toned("nobody answered", "good"),
    "crowded": Toned("too many others waited", "good"),
}
STANDINGS: Final = {
    "certified": "holds by what was measured of it here",
    "calibrated": "a probability, without a bound",
    "uncertified": "nobody measured this model here",
    "upstream": "on the recipe's own scale",
}
PLACES: Final = {"device": Toned("⌂", "good"), "lan": Toned("▤", "warn"), "cloud": Toned("☁", "accent")}
AWAY: Final = {
    "limited": "its provider wants no more requests for now",
    "down": "its provider failed too often in a row",
    "no-credit": "its provider's account is empty",
    "offline": "no network leads to it",
}
"""Why somebody could not be asked."""
