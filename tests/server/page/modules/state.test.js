import assert from "node:assert/strict";
import test from "node:test";
import {
  isProse,
  joinText,
  requestOf,
  shuffled,
  splitProse,
  splitText,
  stateOf,
  withTexts,
} from "../../../../src/syntagma/server/page/state.js";

const texts = (state) => state.words.map((word) => word.text);
const ids = (state) => state.words.map((word) => word.id);

test("words are separated by white space, and phrases hold together by no-break spaces", () => {
  assert.deepEqual(splitText("  the\tdog\n barked "), ["the", "dog", "barked"]);
  assert.deepEqual(splitText("in New\u00a0York\u00a0City"), ["in", "New York City"]);
  assert.deepEqual(splitText(" \u00a0 "), []);
  const state = stateOf(["in", "New York"]);
  assert.deepEqual(splitText(joinText(state.words)), texts(state));
});

test("a sentence is told from a list of words", () => {
  for (const prose of [
    "The dog barked.",
    "She didn't",
    "It's late",
    "(so) it",
    "Yes, we can",
    "“No”",
    "我喜欢猫。",
  ])
    assert.ok(isProse(prose), prose);
  for (const list of [
    "the dog barked .",
    "did n't",
    "it 's",
    "a , b",
    "U S",
    "o'clock",
    "...",
    "New\u00a0York.",
  ])
    assert.ok(!isProse(list), list);
});

test("without a tokenizer, punctuation comes off the edges of words", () => {
  assert.deepEqual(splitProse("“Yes,” she said (twice)."), [
    "“",
    "Yes",
    ",”",
    "she",
    "said",
    "(",
    "twice",
    ").",
  ]);
  assert.deepEqual(splitProse("the dog ..."), ["the", "dog", "..."]);
  assert.deepEqual(splitProse("我喜欢猫。"), ["我喜欢猫", "。"]);
  assert.deepEqual(splitProse("هل نبح الكلب؟"), ["هل", "نبح", "الكلب", "؟"]);
  assert.deepEqual(
    splitProse("«Qu'il l’aime aujourd'hui», dit-elle."),
    "« Qu' il l’ aime aujourd'hui », dit-elle .".split(" "),
  );
});

test("a word keeps its id while the text around it changes", () => {
  const before = { ...stateOf(["the", "dog", "barked"]), first: 2, before: [[1, 3]] };
  const added = withTexts(before, ["loudly", "the", "dog", "barked"]);
  assert.deepEqual(ids(added), [4, 1, 2, 3]);
  assert.equal(added.first, 2);
  assert.deepEqual(added.before, [[1, 3]]);
});

test("a word that is being typed stays the same word", () => {
  const before = { ...stateOf(["the", "do"]), last: 2 };
  assert.equal(withTexts(before, ["the", "dog"]).last, 2);
});

test("what is said of a word goes with it", () => {
  const before = {
    ...stateOf(["the", "dog", "barked"]),
    first: 2,
    last: 3,
    before: [
      [1, 2],
      [1, 3],
    ],
  };
  before.words = before.words.map((word) =>
    word.id === 1 ? { ...word, head: 2, deprel: "det" } : word,
  );
  const after = withTexts(before, ["the", "barked"]);
  assert.deepEqual([after.first, after.last, after.before], [null, 3, [[1, 3]]]);
  assert.deepEqual(after.words[0], { id: 1, text: "the" });
});

test("words of the same form are different words", () => {
  const before = { ...stateOf(["the", "the"]), last: 2 };
  assert.deepEqual(ids(withTexts(before, ["the", "the", "the"])), [1, 2, 3]);
});

test("a shuffle has the same words in another order, where there is one", () => {
  for (let size = 0; size < 7; size++) {
    const items = Array.from({ length: size }, (_, index) => index);
    for (let time = 0; time < 30; time++) {
      const mixed = shuffled(items);
      assert.deepEqual([...mixed].sort(), items);
      if (size > 1) assert.notDeepEqual(mixed, items);
    }
  }
});

test("the request is the problem of the command line, with places from 1", () => {
  const state = {
    ...stateOf(["dog", "the", "barked"]),
    before: [[2, 1]],
    first: 2,
    last: 3,
    diverse: true,
  };
  state.words = state.words.map((word) =>
    word.id === 1 ? { ...word, tag: "NN", head: 3, deprel: "nsubj" } : word,
  );
  assert.deepEqual(requestOf(state), {
    path: "v1/order",
    body: {
      words: [{ form: "dog", tag: "NN", head: 3, deprel: "nsubj" }, "the", "barked"],
      before: [[2, 1]],
      first: 2,
      last: 3,
      options: { n_best: 5, diverse: true },
    },
  });
});

test("universal tags, features, and the wishes for projective orders and for the judge are sent", () => {
  const state = stateOf(["dog", "the"], { projective: true, judge: true });
  state.words[0].upos = "NOUN";
  state.words[0].features = "Number=Sing";
  state.words[1].features = "";
  const { body } = requestOf(state);
  assert.deepEqual(body.words, [
    { form: "dog", upos: "NOUN", features: "Number=Sing" },
    { form: "the", features: "" },
  ]);
  assert.deepEqual(body.options, { n_best: 5, projective: true, judge: true });
  assert.deepEqual(requestOf(stateOf(["dog"])).body.options, { n_best: 5 });
});

test("lemmas are realized", () => {
  const state = stateOf(["dog"], { mode: "lemmas", model: "fr" });
  state.words[0].features = "Number=Plur";
  state.words[0].head = 0;
  const { path, body } = requestOf(state);
  assert.equal(path, "v1/realize");
  assert.deepEqual(body.words, [{ lemma: "dog", head: 0, features: "Number=Plur" }]);
  assert.equal(body.options.model, "fr");
});
