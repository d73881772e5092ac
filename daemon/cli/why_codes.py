"""Words for the codes that records and previews give as reasons."""

from __future__ import annotations

from typing import Final

RULES: Final = {
    "auto-no-cloud": "`auto` leaves the choice to Nearloop, which has local models only",
    "auto-no-token": "a client without a token is answered on this machine only",
    "auto-private": "the request has to stay on this machine",
    "auto-offline": "this machine is on no network",
    "auto-away": "who might be asked beyond this machine can't be asked now",
    "auto-budget": "what may be spent in clouds is spent, so this machine answers (`nearloop limit` shows and changes that)",
    "auto-skip-local": "a local draft would not fit, or take longer than policy.patience_s or policy.head_start_s allow",
    "auto-pictures": "this machine's own models only read the words in pictures, so who may see them comes first",
    "auto-after-collapse": "the answer before it turned out otherwise than it began, so this turn begins higher up",
    "auto-confidence": "`auto` asks this machine first, and the cloud if that is not sure",
    "model-local": "`local` is this machine's default model",
    "model-named": "the client named this model",
    "model-budget": "a model in a cloud was asked for, and what may be spent there is spent, so this machine answers",
    "model-cloud": "`cloud` is the first provider's first model",
}
STANDINGS: Final = {
    "certified": "which holds by what was measured of this model here",
    "calibrated": "a probability by what was measured of this model, without a bound",
    "uncertified": "which nobody measured for this model, engine and number of threads: `nearloop calibrate` does",
    "upstream": "on the scale that the recipe's threshold was chosen for",
}
"""What a confidence and its threshold are worth."""
COLLAPSES: Final = {
    "fell": "the whole of it was far less sure than its beginning",
    "unusable": "it turned out to be nothing that can be used",
    "repetitive": "it went on repeating itself",
}
TEACHERS: Final = {
    "feedback": "somebody said so",
    "audit": "the cloud was asked the same for comparison",
    "disagreement": "the cloud's answer, which was given instead, was compared with it",
    "tool_error": "a call that it made failed",
    "correction": "what the user wrote next rejected it",
    "regenerate": "the same was asked again soon after",
}
NOTES: Final = {
    "not-set-up": "of its models, nobody of that name is set up for some",
    "no-token": "others of its models are not for a client without a token",
    "private": "others of its models may not see the request",
    "offline": "others of its models are on a network, and this machine is on none",
    "limited": "others of its models are at their provider's limit, which named a time",
    "down": "others of its models are at a provider that failed too often in a row",
    "no-credit": "others of its models are at a provider without credit",
    "budget": "others of its models cost more than may be spent now (`nearloop limit`)",
    "algorithm-not-here": "it asks them in a way that this version doesn't have, so the first one alone is asked",
    "not-able": "others of its models can't answer such a request",
    "collapsed": "whose answer before turned out otherwise than it began is passed over",
    "stays": "the conversation stays with the model that it is with",
    "doubtful": "a decision that might have kept it on this machine could not be judged, so it stays",
}
WHY_NOT_REDUCED: Final = {
    "tools": "it is more than a conversation (tools, pictures, a format)",
    "told": "somebody could still be guessed, or too little of the question was left",
    "long": "it is too much for the model that rewrites",
    "model": "the model that rewrites gave nothing in time",
    "unsure": "what the model made of it may still tell too much, or ask something else",
}
WHY_HERE: Final = {
    "asked": "the client or its project asked for that",
    "local-only": "this machine is local-only (`nearloop local-only off` ends that)",
    "private": "the policy keeps such values here",
    "identifying": "somebody could be guessed by what it tells",
    "not-maskable": "a value stands where nothing can be replaced",
    "not-readable": "a part of it can't be looked at",
    "signal-failed": "a privacy check failed",
    "signal-late": "a privacy check was not done in the time that it has (`signals.deadline_s`)",
    "doubtful": "a decision that might have kept it here could not be judged",
    "denied": "you were asked, and didn't let it leave",
    "not-answered": "you were asked whether it may leave, and nobody answered in time",
    "crowded": "too many requests waited for your word",
}
UNSEEN: Final = {
    "not-looked": "looking at pictures is turned off (`[pictures] look`), or it was refused before",
    "not-installed": "what looks at pictures is not installed: `nearloop doctor` says how",
    "late": "there was no time left to look",
    "too-many": "there are more pictures in it than are looked at",
    "too-large": "it is too large",
    "too-many-pixels": "it has too many pixels",
    "too-many-frames": "it moves through too many frames",
    "too-many-pages": "it has too many pages",
    "unknown-format": "its format is none that is read here",
    "broken": "it is broken",
    "encrypted": "it is encrypted",
    "elsewhere": "it is not in the request, which only says where it is",
    "not-fetched": "it is at a host of `[pictures] fetch_from`, which could not, or may not, be asked for it",
    "not-a-picture": "it is no picture but another file",
    "holds-files": "there are other files in it",
    "foreign-form": "it has a form that only its maker's program shows",
    "two-formats": "it is a picture and a PDF at once",
    "crashed": "what looked at it broke",
    "out-of-memory": "looking at it would take too much memory",
}
"""Why nobody could look at a picture or document."""
EFFECTS: Final = {
    "read": "only reads",
    "write": "changes what can be changed back",
    "execute": "runs programs",
    "network": "reaches other machines",
    "irreversible": "spends money or can't be undone",
    "unknown": "does what nobody here knows",
}
"""What a call of a tool would do."""
KEYS: Final = {
    "usual": "no more than any answer",
    "surer": "to be surer than words",
    "two": "a second answer that calls the same",
    "independent": "another model that calls the same",
    "beyond": "somebody else to answer",
}
"""What a draft needs for that."""
LOOPER_NOTES: Final = {
    "budget": "others spent meanwhile what was left of a limit, so a model here answered",
    "one-key": "a call that should have two keys went out on one, since nobody else could be asked",
    "keys-differ": "a second answer did not call the same",
    "no-tool-fits": "none of the tools seems to fit what was asked, so a draft's call did not count",
    "never-alone": "a draft's call is of a kind that your settings never leave to a draft",
    "mended": "of a draft of several pieces those that failed were asked for again, and the others stayed",
    "mending-failed": "the failing pieces of a draft were asked for again and what came was no use, so all of it was",
    "not-in-time": "a draft could not be judged within policy.head_start_s, or, for whole answers, policy.patience_s",
    "stopped-early": "a draft was stopped in the middle, since it could not have become sure enough any more",
    "samples-failed": "further answers to compare a draft with could not all be had",
    "not-verified": "whether a draft is right could not be asked as the recipe wants, so it did not count",
    "left-out": "who may not be asked was left out",
    "still-readable": "a value could be read in a picture after it was painted over, so the picture did not leave",
    "not-painted": "a picture could not be made anew without what has to be masked, so it did not leave",
    "nobody-beyond": "nobody beyond this machine may be asked after all, so its own model answered",
    "below-quorum": "fewer answers came than the recipe wants, and it went on with those",
    "round-timed-out": "a round's time was over before all had answered",
    "verdict-unreadable": "a judge's verdict could not be read, and did not count",
    "synthesis-failed": "nobody could write one answer of them, so the best of them is the answer",
    "no-grounding": "how well answers are grounded could not be measured, so they count alike",
    "filtered": "an answer was left out, because others contradict it",
    "plan-unreadable": "the plan could not be used, so one step was made of it",
    "flow-lost": "the work that was waiting for a tool is not known any more, and began anew",
    "flow-paused": "the work waits for the tool that it called",
    "contract-repaired": "the answer had not the form that was wanted, and was brought into it",
    "contract-broken": "the answer has not the form that was wanted",
}
AWAY: Final = {
    "limited": "its provider wants no more requests for now",
    "down": "its provider failed too often in a row",
    "no-credit": "its provider's account is empty",
    "offline": "no network leads to it",
}
"""Why somebody could not be asked."""
