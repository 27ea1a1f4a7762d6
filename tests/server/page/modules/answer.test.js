import assert from "node:assert/strict";
import test from "node:test";
import {
  arcsInWords,
  faultOf,
  foundOf,
  lineOf,
  nodesOf,
  shownOf,
} from "../../../../src/syntagma/server/page/answer.js";
import {
  putBefore,
  setHead,
  setProperty,
} from "../../../../src/syntagma/server/page/constraints.js";
import { stateOf } from "../../../../src/syntagma/server/page/state.js";

const STATE = stateOf(["c", "a", "b"]);
const none = new Set();

test("an error stands at the constraint that its field names", () => {
  const state = setProperty(setHead(putBefore(putBefore(STATE, 1, 2), 2, 3), 1, 3), 1, "tag", "NN");
  for (const [field, key] of [
    ["before[0]", "before 1 2"],
    ["before[1]", "before 2 3"],
    ["words[0].head", "head 1"],
    ["words[0].tag", "tag 1"],
  ])
    assert.deepEqual(faultOf(state, { field, message: "no" }, none), {
      place: "chip",
      key,
      message: "no",
    });
});

test("an error without a field stands at the newest constraint", () => {
  const state = putBefore(putBefore(STATE, 1, 2), 2, 3);
  const fault = faultOf(state, { field: null, message: "no" }, new Set(["before 2 3"]));
  assert.equal(fault.key, "before 1 2");
});

test("of constraints that contradict each other, the newest is to blame", () => {
  const state = putBefore(putBefore(putBefore(STATE, 1, 2), 2, 3), 3, 1);
  const held = new Set(["before 1 2", "before 2 3"]);
  assert.equal(faultOf(state, { field: "before[0]", message: "" }, held).key, "before 3 1");
});

test("other errors stand at the options or the text", () => {
  assert.equal(faultOf(STATE, { field: "options.n_best", message: "" }, none).place, "orders");
  assert.equal(faultOf(STATE, { field: null, message: "" }, none).place, "text");
  assert.equal(
    faultOf(putBefore(STATE, 1, 2), { field: "words", message: "" }, none).place,
    "text",
  );
});

test("heads are found by the words they come from", () => {
  const result = {
    text: "",
    score: 0,
    words: [
      { form: "a", tag: "DT", head: 2, deprel: "det", source: 2 },
      { form: "b", tag: "NN", head: 0, deprel: "root", source: 3 },
      { form: "c", tag: null, head: 2, deprel: null, source: 1 },
    ],
  };
  assert.deepEqual(foundOf(STATE, result, 2), { tag: "DT", head: 3, label: "det" });
  assert.deepEqual(foundOf(STATE, result, 3), { tag: "NN", head: 0, label: "root" });
  assert.equal(foundOf(STATE, result, 9), null);
});

test("the line has the usual spacing", () => {
  const words = ["Dogs", "do", "n't", "bark", ",", "it", "'s", "late", "."];
  const state = stateOf(words);
  const tokens = words.map((form, index) => ({
    form,
    tag: null,
    head: 0,
    deprel: null,
    source: index + 1,
  }));
  assert.equal(lineOf(state, { text: "", score: 0, words: tokens }), "Dogs don't bark, it's late.");
  const spelled = tokens.map((token) => ({ ...token, space_after: token.form !== "bark" }));
  assert.equal(
    lineOf(state, { text: "", score: 0, words: spelled }),
    "Dogs do n't bark, it 's late .",
  );
});

const ordered = (forms, more = {}) => ({
  text: "",
  score: 0,
  words: forms.map((form, index) => ({
    form,
    tag: null,
    head: 0,
    deprel: null,
    source: index + 1,
  })),
  ...more,
});

test("spaces stand where the language has them", () => {
  for (const [words, line] of [
    [["我", "喜欢", "猫", "。"], "我喜欢猫。"],
    [["彼", "は", "コーヒー", "を", "飲む"], "彼はコーヒーを飲む"],
    [["用", "Python", "3", "写", "（", "好", "）"], "用 Python 3 写（好）"],
    [["나는", "고양이를", "좋아한다", "."], "나는 고양이를 좋아한다."],
    [["هل", "نبح", "الكلب", "؟"], "هل نبح الكلب؟"],
    [["qu'", "il", "(", "l’", "ours", ")"], "qu'il (l’ours)"],
    [["the", "dogs'", "house"], "the dogs' house"],
  ])
    assert.equal(lineOf(stateOf(words), ordered(words)), line);
});

test("a contraction is written once; its other words stay within reach", () => {
  const result = ordered(["Je", "mange", "de", "le", "pain"], {
    contractions: [{ first: 3, last: 4, text: "du" }],
  });
  result.words.forEach((word, index) => (word.space_after = index !== 2));
  const state = stateOf(["Je", "manger", "de", "le", "pain"], { mode: "lemmas" });
  assert.equal(lineOf(state, result), "Je mange du pain");
  const shown = shownOf(state, result);
  assert.deepEqual(
    shown.map((word) => [word.form, word.within ?? false]),
    [
      ["Je", false],
      ["mange", false],
      ["du", false],
      ["le", true],
      ["pain", false],
    ],
  );
});

test("universal tags that are given are shown beside the tag", () => {
  const state = setProperty(stateOf(["dog", "the"]), 1, "upos", "NOUN");
  const result = ordered(["dog", "the"]);
  Object.assign(result.words[0], { tag: "NN", upos: "NOUN" });
  Object.assign(result.words[1], { tag: "DT", head: 1, deprel: "det" });
  assert.deepEqual(
    nodesOf(state, result).map((node) => [node.tag, node.upos]),
    [
      ["NN", "NOUN"],
      ["DT", ""],
    ],
  );
  assert.deepEqual(arcsInWords(result), [
    "dog, NN, NOUN: the root",
    "the, DT: det – determiner of dog",
  ]);
  assert.equal(
    faultOf(state, { field: "words[0].upos", message: "no" }, none).key,
    "upos 1",
  );
});
