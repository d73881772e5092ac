"""What the classification API answers: the same functions over the same models as routing, so the same scores.

All of it is synchronous, and is called in a thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from time import monotonic, perf_counter
from typing import Final

from daemon.classify import shapes
from daemon.errors import BadRequest, ModelMissing, NotBuilt
from daemon.recipes.signals import Signals
from daemon.signals import domain, fact_check, jailbreak, user_feedback
from daemon.signals.base import UNSCANNED, Asked, Observation, Span
from daemon.signals.forward import Reading
from daemon.signals.missing import readable
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts
from daemon.signals.personal import PersonalData
from daemon.signals.shipped import EMBEDDER, EMBEDDER_ABROAD
from edge_models.engines.base import EngineError, TextTooLong
from edge_models.heads.manifest import CalibratedBy
from providers.contract import Message, Request, Text
from providers.texts import fields

HIDDEN: Final = "[DETECTED]"
LOW: Final = 0.7
"""Of a batch's statistics, upstream's."""


class Answers:
    """deadline_s: how long a text may be looked at."""

    def __init__(self, parts: Parts, deadline_s: float) -> None:
        self._parts = parts
        self._deadline_s = deadline_s
        self._personal = PersonalData(Signals(), Parts(parts.heads, parts.vectors, guard=True))

    def intent(self, request: shapes.IntentRequest) -> shapes.IntentResponse:
        """The field of knowledge. Raises ModelMissing."""
        began = perf_counter()
        asked = self._asked(request.text)
        with readable(self._parts):
            reading = self._parts.heads.whole_reading(domain.HEAD, asked.words, asked.in_time)
            calibrated_by = self._calibrated_by(domain.HEAD, reading)
        chances = reading.of(domain.HEAD)
        field, sure = domain.chosen(chances)
        return shapes.IntentResponse(
            shapes.Classification(field, sure, _ms(began)),
            chances if request.options.return_probabilities else None,
            calibrated_by=calibrated_by,
        )

    def _calibrated_by(self, head: str, reading: Reading) -> CalibratedBy:
        return self._parts.heads.calibrated_by(head, reading.model, reading.language)

    def pii(self, request: shapes.PiiRequest) -> shapes.PiiResponse:
        """Personal data and where it stands. Raises ModelMissing if the text could not be read whole."""
        began = perf_counter()
        options = request.options
        with readable(self._parts):
            seen = self._personal.look(self._asked(request.text))
            if failed := next((each.error for each in seen if each.error), None):
                raise Unread(failed)
        wanted = {name.upper() for name in options.entity_types}
        found = sorted(_hits(seen, wanted, options.confidence_threshold), key=lambda hit: hit[0].start)
        placeholders = _placeholders(request.text, found)
        entities = tuple(
            shapes.PiiEntity(
                type=span.label,
                value=request.text[span.start : span.end] if options.reveal_entity_text else HIDDEN,
                confidence=score,
                start_position=span.start if options.return_positions else None,
                end_position=span.end if options.return_positions else None,
                masked_value=placeholders[span] if options.mask_entities else None,
            )
            for span, score in found
        )
        masked = _masked(request.text, found, placeholders) if options.mask_entities and found else ""
        return shapes.PiiResponse(bool(found), entities, "block" if found else "allow", _ms(began), masked)

    def security(self, request: shapes.SecurityRequest) -> shapes.SecurityResponse:
        """Attempts against a model's instructions. Raises ModelMissing."""
        began = perf_counter()
        asked = self._asked(request.text)
        with readable(self._parts):
            found, whole = jailbreak.scores(self._parts.heads, asked.said, asked)
            over = tuple(name for name, said in found.items() if said.over)
            attempts = tuple(name for name in over if name != jailbreak.HARM)
            if not whole and not attempts:
                raise Unread(UNSCANNED)
            calibrated_by = {
                name: self._calibrated_by(name, said.reading) for name, said in found.items() if said.reading
            }
        scores = {name: said.score for name, said in found.items()}
        risk = max((score for name, score in scores.items() if name != jailbreak.HARM), default=0.0)
        reasoning = ", ".join(f"{name} {scores[name]:.3f}" for name in over)
        return shapes.SecurityResponse(
            is_jailbreak=bool(attempts),
            risk_score=risk,
            detection_types=attempts,
            confidence=risk if attempts else 1 - risk,
            recommendation="block" if attempts else "allow",
            patterns_detected=attempts,
            processing_time_ms=_ms(began),
            scores=scores,
            calibrated_by=calibrated_by,
            reasoning=f"over the threshold: {reasoning or 'none'}" if request.options.include_reasoning else "",
        )

    def fact_check(self, request: shapes.LabelRequest) -> shapes.FactCheckResponse:
        """Whether an answer should be checked. Raises ModelMissing."""
        began = perf_counter()
        with readable(self._parts):
            chance, threshold, reading = fact_check.needs(self._parts, self._asked(request.text))
            calibrated_by = self._calibrated_by(fact_check.HEAD, reading)
        needed = chance >= (request.options.confidence_threshold or threshold)
        label = fact_check.NEEDED if needed else fact_check.NOT_NEEDED
        return shapes.FactCheckResponse(
            needs_fact_check=needed,
            validated=reading.model is None and self._parts.heads.validated(fact_check.HEAD),
            calibrated_by=calibrated_by,
            label=label,
            confidence=chance if needed else 1 - chance,
            processing_time_ms=_ms(began),
        )

    def user_feedback(self, request: shapes.LabelRequest) -> shapes.UserFeedbackResponse:
        """What a follow-up says of the answer before it. Raises ModelMissing."""
        began = perf_counter()
        with readable(self._parts):
            chances = user_feedback.feedback(self._parts, self._asked(request.text))
        best = max(chances, key=lambda kind: chances[kind])
        sure = chances[best] >= (request.options.confidence_threshold or user_feedback.THRESHOLD)
        label = best if sure else user_feedback.NONE
        return shapes.UserFeedbackResponse(
            feedback_type=label,
            validated=self._parts.heads.validated(user_feedback.HEAD),
            label=label,
            confidence=chances[best],
            processing_time_ms=_ms(began),
            abstained=not sure,
        )

    def combined(self, request: shapes.CombinedRequest) -> shapes.CombinedResponse:
        """Three at once; the text is read once for all of them. Raises ModelMissing."""
        began = perf_counter()
        return shapes.CombinedResponse(
            self.intent(shapes.IntentRequest(request.text, request.intent_options)),
            self.pii(shapes.PiiRequest(request.text, request.pii_options)),
            self.security(shapes.SecurityRequest(request.text, request.security_options)),
            _ms(began),
        )

    def batch(self, request: shapes.BatchRequest) -> shapes.BatchResponse:
        """Several texts. Raises ModelMissing."""
        began = perf_counter()
        results = tuple(self._batched(text, request) for text in request.texts)
        confidences = [result.confidence for result in results]
        statistics = shapes.BatchStatistics(
            dict(Counter(result.category for result in results)),
            sum(confidences) / len(confidences),
            sum(confidence < LOW for confidence in confidences),
        )
        return shapes.BatchResponse(results, len(results), _ms(began), statistics)

    def _batched(self, text: str, request: shapes.BatchRequest) -> shapes.BatchResult:
        match request.task_type:
            case "pii":
                pii = self.pii(shapes.PiiRequest(text))
                sure = max((entity.confidence for entity in pii.entities), default=1.0)
                category = pii.entities[0].type if pii.entities else "no_pii"
                return shapes.BatchResult(category, sure, pii.processing_time_ms)
            case "security":
                security = self.security(shapes.SecurityRequest(text))
                category = security.detection_types[0] if security.is_jailbreak else "safe"
                return shapes.BatchResult(category, security.confidence, security.processing_time_ms)
            case _:
                intent = self.intent(shapes.IntentRequest(text, request.options))
                told = intent.classification
                return shapes.BatchResult(told.category, told.confidence, told.processing_time_ms, intent.probabilities)

    def embeddings(self, request: shapes.EmbeddingRequest) -> shapes.EmbeddingResponse:
        """Vectors. Raises ModelMissing, BadRequest."""
        began = perf_counter()
        if request.images:
            raise BadRequest("pictures have no vectors here yet: send texts", "images")
        results = []
        with readable(self._parts, "vectors"):
            self._check_dimension(request.dimension)
            for text in request.texts:
                one = perf_counter()
                numbers = self._parts.vectors.numbers(text)
                results.append(shapes.EmbeddingResult(text, numbers, len(numbers), EMBEDDER, _ms(one)))
        took = (perf_counter() - began) * 1000
        return shapes.EmbeddingResponse(tuple(results), len(results), round(took), took / len(results))

    def similarity(self, request: shapes.SimilarityRequest) -> shapes.SimilarityResponse:
        """Cosine of two texts. Raises ModelMissing, BadRequest."""
        began = perf_counter()
        with readable(self._parts, "vectors"):
            self._check_dimension(request.dimension)
            likeness = self._parts.vectors.likeness(request.text1, request.text2)
            model = self._compared_by(request.text1, request.text2)
        return shapes.SimilarityResponse(model, likeness, (perf_counter() - began) * 1000)

    def similarities(self, request: shapes.SimilarityBatchRequest) -> shapes.SimilarityBatchResponse:
        """The nearest of several texts. Raises ModelMissing, BadRequest."""
        began = perf_counter()
        with readable(self._parts, "vectors"):
            self._check_dimension(request.dimension)
            found = [self._parts.vectors.likeness(request.query, text) for text in request.candidates]
        order = sorted(range(len(found)), key=lambda place: -found[place])[: request.top_k or None]
        matches = tuple(shapes.SimilarityMatch(place, found[place], request.candidates[place]) for place in order)
        took = (perf_counter() - began) * 1000
        model = self._compared_by(request.query)
        return shapes.SimilarityBatchResponse(matches, len(found), model, took)

    def _compared_by(self, *texts: str) -> str:
        return EMBEDDER_ABROAD if self._parts.vectors.model(*texts) else EMBEDDER

    def nli(self, request: shapes.NliRequest) -> shapes.NliResponse:
        """Whether a premise supports a hypothesis. Raises NotBuilt without a model for it, ModelMissing, BadRequest."""
        began = perf_counter()
        if not self._parts.entailment.chosen:
            raise NotBuilt(
                "no model for entailment is part of Nearloop: fetch one with `nearloop models pull`, or make one with"
                " `nearloop export --task entailment` and name its directory as `entailment` under [signals] in"
                " settings.toml"
            )
        try:
            chances = self._parts.entailment.judge(request.premise, request.hypothesis)
        except TextTooLong as error:
            raise BadRequest(f"{error}: shorten the hypothesis", "hypothesis") from error
        except EngineError as error:
            raise ModelMissing(f"the model for entailment can't answer: {error}") from error
        label = max(chances, key=lambda name: chances[name])
        return shapes.NliResponse(
            label=label,
            confidence=chances[label],
            entailment_prob=chances["entailment"],
            neutral_prob=chances["neutral"],
            contradiction_prob=chances["contradiction"],
            processing_time_ms=_ms(began),
        )

    def _check_dimension(self, dimension: int) -> None:
        width = self._parts.vectors.width
        if dimension not in (0, width):
            raise BadRequest(
                f"the vectors here have {width} numbers and can't be cut: leave the dimension out", "dimension"
            )

    def _asked(self, text: str) -> Asked:
        request = Request(id="0" * 16, model="", protocol="classify", messages=(Message("user", (Text(text),)),))
        return Asked(request, fields(request), monotonic() + self._deadline_s)


def _hits(seen: list[Observation], wanted: set[str], least: float) -> Iterator[tuple[Span, float]]:
    for each in seen:
        if each.label and (not wanted or each.label in wanted) and each.score >= least:
            yield from ((span, each.score) for span in each.spans)


def _placeholders(text: str, found: list[tuple[Span, float]]) -> dict[Span, str]:
    """`[TYPE_0]` and so on: the same value is the same placeholder."""
    numbers: dict[str, dict[str, int]] = {}
    names = {}
    for span, _ in found:
        values = numbers.setdefault(span.label, {})
        number = values.setdefault(text[span.start : span.end], len(values))
        names[span] = f"[{span.label}_{number}]"
    return names


def _masked(text: str, found: list[tuple[Span, float]], placeholders: dict[Span, str]) -> str:
    for span, _ in reversed(found):
        text = text[: span.start] + placeholders[span] + text[span.end :]
    return text


def _ms(began: float) -> int:
    return round((perf_counter() - began) * 1000)
