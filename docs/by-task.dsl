# An example: the kind of work decides how several models are asked. Copy it beside settings.toml and name your own models.
#
# What is private stays here whatever the work is: the boundary judges each request after the recipe, and candidates in the
# cloud are passed over then. Two local models and two of a provider's are assumed; who isn't set up is passed over.

SIGNAL task_shape multiple_choice {}

SIGNAL task_shape code {}

SIGNAL task_shape math {}

SIGNAL context long {
  min_tokens: "4K"
}

# At most one kind holds, so each weight is a place of its own on the line.
PROJECTION score kind_of_work {
  method: "weighted_sum"
  inputs: [{ type: "task_shape", name: "multiple_choice", weight: 1 }, { type: "task_shape", name: "code", weight: 2 }, { type: "task_shape", name: "math", weight: 3 }]
}

PROJECTION mapping task_shape {
  source: "kind_of_work"
  method: "threshold_bands"
  outputs: [{ name: "plain", lt: 0.5 }, { name: "choosing", gte: 0.5, lt: 1.5 }, { name: "coding", gte: 1.5, lt: 2.5 }, { name: "hard_reasoning", gte: 2.5 }]
}

MODEL local {}

MODEL local/second {}

MODEL cloud {}

MODEL auto {}

ROUTE long (description = "Several models would each read all of it.") {
  PRIORITY 40
  WHEN context("long")
  MODEL "local",
        "cloud"
  ALGORITHM confidence {}
}

ROUTE choosing (description = "Choices can be counted: all answer, and the most votes win.") {
  PRIORITY 30
  WHEN projection("choosing")
  MODEL "local",
        "local/second",
        "cloud"
  ALGORITHM ratings {}
}

ROUTE coding (description = "Two drafts, a comparison, one answer.") {
  PRIORITY 30
  WHEN projection("coding")
  MODEL "local",
        "local/second",
        "cloud"
  ALGORITHM fusion {
    model: "cloud"
    round_timeout_seconds: 120
    min_successful_responses: 1
  }
}

ROUTE reasoning (description = "Several tries, and one that is made of them.") {
  PRIORITY 30
  WHEN projection("hard_reasoning")
  MODEL "cloud",
        "local"
  ALGORITHM remom {
    breadth_schedule: [3]
    round_timeout_seconds: 120
    min_successful_responses: 2
  }
}

ROUTE plain (description = "Anything else.") {
  PRIORITY 0
  MODEL "auto"
}

TEST kinds {
  "Which planet is the largest? A) Mars B) Jupiter C) Venus D) Earth. Answer with the letter." -> choosing
  "What causes the tides? A. Wind B. The moon C. Earthquakes D. Rain. Choose one option." -> choosing
  "Write a Python function that merges two sorted lists." -> coding
  "Fix this bug: def add(a, b): return a - b" -> coding
  "Prove that the square root of 2 is irrational." -> reasoning
  "A train leaves at 3 pm at 60 km/h and another one at 4 pm at 90 km/h. When does the second one catch up?" -> reasoning
  "hello there" -> plain
  "Write a short poem about the sea." -> plain
}
