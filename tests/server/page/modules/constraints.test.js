import assert from "node:assert/strict";
import test from "node:test";
import {
  clearConstraints,
  constraintsOf,
  keepTogether,
  putBefore,
  removeWord,
  setFirst,
  setHead,
  setLast,
  setProperty,
  splitPhrase,
} from "../../../../src/syntagma/server/page/constraints.js";
import { requestOf, stateOf } from "../../../../src/syntagma/server/page/state.js";

const START = stateOf(["a", "b", "c", "d"]);
const names = (state) => constraintsOf(state).map((each) => each.parts.filter(Boolean).join(" "));

test("every kind of constraint is listed, and its removal gives the state before", () => {
  const steps = [
    [(s) => setFirst(s, 1), "a first"],
    [(s) => setLast(s, 2), "b last"],
    [(s) => putBefore(s, 3, 4), "c before d"],
    [(s) => setProperty(s, 1, "tag", "NN"), "a is NN"],
    [(s) => setProperty(s, 1, "upos", "NOUN"), "a is NOUN"],
    [(s) => setProperty(s, 1, "features", "Number=Plur|Case=Nom"), "a has Number=Plur, Case=Nom"],
    [(s) => setProperty(s, 1, "features", ""), "a has no features"],
    [(s) => setHead(s, 1, 2), "a depends on b"],
    [(s) => setHead(s, 1, 2, "nsubj"), "a nsubj of b"],
    [(s) => setHead(s, 1, 0), "a is the root"],
  ];
  for (const [step, name] of steps) {
    const state = step(START);
    assert.deepEqual(names(state), [name]);
    assert.deepEqual(requestOf(constraintsOf(state)[0].remove(state)), requestOf(START));
  }
});

test("a state is never changed", () => {
  const frozen = JSON.stringify(START);
  for (const step of [
    (s) => setFirst(s, 1),
    (s) => setLast(s, 1),
    (s) => putBefore(s, 1, 2),
    (s) => setProperty(s, 1, "tag", "NN"),
    (s) => setHead(s, 1, 2, "det"),
    (s) => keepTogether(s, 1, 2),
    (s) => removeWord(s, 1),
  ])
    step(START);
  assert.equal(JSON.stringify(START), frozen);
});

test("the newest wish wins over its direct opposite", () => {
  assert.deepEqual(names(setLast(setFirst(START, 1), 1)), ["a last"]);
  assert.deepEqual(names(putBefore(putBefore(START, 1, 2), 2, 1)), ["b before a"]);
  assert.deepEqual(names(putBefore(setFirst(START, 1), 2, 1)), ["b before a"]);
  assert.deepEqual(names(putBefore(setLast(START, 1), 1, 2)), ["a before b"]);
  assert.deepEqual(names(setFirst(putBefore(START, 1, 2), 2)), ["b first"]);
  assert.deepEqual(names(setLast(putBefore(START, 1, 2), 1)), ["a last"]);
  assert.deepEqual(names(setHead(setHead(START, 1, 2), 2, 1)), ["b depends on a"]);
  assert.deepEqual(names(setHead(setHead(START, 1, 0), 2, 0)), ["b is the root"]);
});

test("nothing is said twice, and no word stands before or depends on itself", () => {
  assert.deepEqual(names(putBefore(putBefore(START, 1, 2), 1, 2)), ["a before b"]);
  assert.equal(putBefore(START, 1, 1), START);
  assert.equal(setHead(START, 1, 1), START);
  assert.equal(keepTogether(START, 1, 1), START);
});

test("words kept together take over what was said of them, and split again", () => {
  let state = setHead(putBefore(putBefore(setFirst(START, 1), 1, 3), 2, 3), 4, 2, "det");
  state = keepTogether(state, 1, 2);
  assert.deepEqual(names(state), ["a b first", "a b before c", "a b together", "d det of a b"]);
  const split = splitPhrase(state, 5);
  assert.deepEqual(
    split.words.map((word) => word.text),
    ["a", "b", "c", "d"],
  );
  assert.deepEqual(names(split), []);
});

test("words kept together cannot stand before each other", () => {
  assert.deepEqual(names(keepTogether(putBefore(START, 1, 2), 1, 2)), ["a b together"]);
});

test("a field names the place in the request", () => {
  const state = setHead(putBefore(putBefore(START, 1, 2), 2, 3), 4, 2);
  assert.deepEqual(
    constraintsOf(state).map((each) => each.field),
    ["before[0]", "before[1]", "words[3].head"],
  );
});

test("clearing keeps the words", () => {
  const state = clearConstraints(setHead(setFirst(keepTogether(START, 1, 2), 3), 3, 0));
  assert.deepEqual(
    state.words.map((word) => word.text),
    ["a b", "c", "d"],
  );
  assert.deepEqual(names(state), ["a b together"]);
});
