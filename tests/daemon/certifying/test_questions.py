"""Questions with answers, ours and others'."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.certifying.labelled_sets import labelled
from daemon.certifying.own_prose import in_prose, own_prose
from daemon.certifying.own_questions import own
from daemon.certifying.questions import Question, mixed, style_of
from daemon.errors import BadRequest


def test_our_own_questions_are_the_same_each_time() -> None:
    """The same seed gives the same questions, all different; another seed gives others."""
    questions = own(300)

    assert questions == own(300)
    assert len({question.text for question in questions}) == 300
    assert {question.text for question in own(300, seed=8)} != {question.text for question in questions}


def test_our_own_answers_are_right_by_our_own_judgement() -> None:
    """What a pattern says is the answer is accepted, and an empty one never is."""
    questions = own(600)

    assert all(question.right(accepted) for question in questions for accepted in question.accepted)
    assert not any(question.right("") for question in questions)


def test_our_own_questions_are_of_all_short_families() -> None:
    """Each family that a short answer can be of has enough of them."""
    count = Counter(question.family for question in own(600))

    assert set(count) == {"number", "reading", "choice", "yes_no", "short"}
    assert min(count.values()) >= 60


def test_our_own_prose_wants_sentences() -> None:
    """Nearly all is of the family prose, no example of a short answer stands before it, and all of it has an answer."""
    questions = own_prose(300)

    assert questions == own_prose(300)
    assert own_prose(400)[:300] == questions
    assert len({question.id for question in questions} | {question.id for question in own(2000)}) == 2300
    assert {question.style for question in questions} == {"plain"}
    assert sum(question.family == "prose" for question in questions) == 300
    assert all(question.right(f"It is so: {accepted}.") for question in questions for accepted in question.accepted)
    assert len({question.source for question in questions}) == 3


def test_a_text_to_read_stays_before_what_is_asked() -> None:
    """Only the last line is put otherwise."""
    short = Question("1", "s", "a", "Where is it?", ("Oslo",), "words", "examples")
    reading = Question("1", "s", "a", "It is in Oslo.\nWhere is it?", ("Oslo",), "words", "examples")

    assert in_prose(short).text.endswith(": Where is it?")
    assert in_prose(reading).text == f"It is in Oslo.\n{in_prose(short).text}"
    assert in_prose(reading).accepted == ("Oslo",)


def test_a_number_is_judged_as_a_number_and_a_name_as_words() -> None:
    """Only the first line counts, and how it is judged is the question's."""
    sums = Question("1", "s", "a", "What is 2 + 2?", ("4",), "number", "examples")
    place = Question("2", "s", "a", "Where is it?", ("Port Alder",), "words", "plain")

    assert sums.right("2 + 2 = 4")
    assert not sums.right("5\n4")
    assert place.right("It is in Port Alder, by the sea.")
    assert not place.right("Port")


def test_examples_come_before_the_question() -> None:
    """A question put after examples has three of them with their answers; a plain one has none."""
    after, bare = (
        Question("1", "s", "a", "What is 2 + 2?", ("4",), "number", style).chat.turns for style in ("examples", "plain")
    )

    assert [turn.role for turn in after] == ["system", *["user", "assistant"] * 3, "user"]
    assert [turn.role for turn in bare] == ["system", "user"]
    assert after[-1].text == "What is 2 + 2?"


def test_the_order_mixes_sets_and_stays() -> None:
    """A beginning of the order is a fair part of all, and the order does not depend on what came first."""
    questions = own(600)
    ordered = mixed(questions)

    assert ordered == mixed(list(reversed(questions)))
    assert len({question.source for question in ordered[:60]}) == 6
    assert 0.15 < sum(style_of(str(n)) == "plain" for n in range(1000)) / 1000 < 0.35


def test_others_sets_are_read_as_they_lie(tmp_path: Path) -> None:
    """Options get letters, results are taken out of the reckoning, yes and no are told, and no limit is passed."""
    rows = {
        "llmrouter_mix/llmrouter_mix.jsonl": [
            {"id": "1", "label": "gsm8k", "text": "How many?", "answer": "2*3=6\n#### 6", "choices": None},
            {
                "id": "2",
                "label": "openbook_qa",
                "text": "What flies?",
                "answer": "B",
                "choices": "{'text': ['a stone', 'a gull'], 'label': ['A', 'B']}",
            },
            {"id": "3", "label": "mbpp", "text": "Write a function", "answer": "", "choices": None},
            *({"id": f"t{n}", "label": "trivia_qa", "text": f"Who {n}?", "answer": "Ada"} for n in range(9)),
        ],
        "halueval_qa/halueval_qa.jsonl": [
            {"id": "4", "label": 1, "context": "Ada lived.", "question": "Did Ada live?", "answer": "yes"},
            {"id": "5", "label": 0, "context": "Ada lived.", "question": "Did Ada live?", "answer": "no"},
        ],
        "cascade_mcq/boolq.jsonl": [{"id": "6", "text": "is it so?", "options": None, "answer": False}],
    }
    for place, lines in rows.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("".join(json.dumps(line) + "\n" for line in lines))

    found = {question.id: question for question in labelled(tmp_path, 3)}

    assert found.keys() == {"1", "2", "4", "6", "t0", "t1", "t2"}
    assert found["1"].accepted == ("6",)
    assert found["2"].text == "What flies?\nA. a stone\nB. a gull"
    assert found["2"].right("a gull")
    assert (found["4"].check, found["6"].accepted) == ("yes_no", ("no",))


def test_a_folder_without_sets_is_refused(tmp_path: Path) -> None:
    """The message names what would be read."""
    with pytest.raises(BadRequest, match="llmrouter_mix"):
        labelled(tmp_path, 3)


def test_a_model_that_knows_no_chat_is_given_a_text_to_go_on_with() -> None:
    """Examples and question stand in it as lines, and the answer's line is open."""
    [question] = own(1)
    examples = replace(question, style="examples", check="words", text="Who wrote it?").completion.text
    plain = replace(question, style="plain", text="Who wrote it?").completion.text

    assert examples.startswith("Question: What is the capital of Italy?\nAnswer: Rome\n\n")
    assert examples.endswith("\n\nQuestion: Who wrote it?\nAnswer:")
    assert plain == "Question: Who wrote it?\nAnswer:"
