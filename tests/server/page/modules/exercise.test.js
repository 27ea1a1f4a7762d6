import assert from "node:assert/strict";
import test from "node:test";
import {
  fromExerciseLink,
  isTeachers,
  itemOf,
  judgement,
  scrambled,
  toExerciseLink,
  withoutCapital,
  written,
} from "../../../../src/syntagma/server/page/exercise.js";

const TOKENS = ["She", "did", "n't", "walk", "home", "."];

test("contractions are one word, and the mark at the end is not to be moved", () => {
  const item = itemOf(TOKENS);
  assert.deepEqual(item.words, ["She", "did n't", "walk", "home"]);
  assert.equal(item.end, ".");
  assert.deepEqual(item.words.map(written), ["She", "didn't", "walk", "home"]);
});

test("the capital of the first word does not give its place away", () => {
  const first = (...tokens) => withoutCapital(itemOf(tokens)).words[0];
  assert.equal(first("She", "sleeps"), "she");
  assert.equal(first("A", "dog"), "a");
  assert.equal(first("Do", "n't", "go"), "do n't");
  assert.equal(first("I", "sleep"), "I");
  assert.equal(first("I", "'m", "late"), "I 'm");
  assert.equal(first("NASA", "flies"), "NASA");
  const item = withoutCapital(itemOf(TOKENS));
  assert.ok(isTeachers(item, ["she", "did n't", "walk", "home"]));
});

test("the teacher's order is recognised after shuffling, other orders are not", () => {
  const item = scrambled(itemOf(TOKENS));
  assert.ok(isTeachers(item, ["She", "did n't", "walk", "home"]));
  assert.ok(!isTeachers(item, item.words));
});

test("a link carries the exercise, but not the solution", () => {
  const items = [scrambled(itemOf(TOKENS)), scrambled(itemOf(["birds", "sing"]))];
  const exercise = { title: "Walks & birds", model: "en", items };
  const link = toExerciseLink(exercise);
  assert.deepEqual(fromExerciseLink(`#${link}`), exercise);
  assert.ok(!decodeURIComponent(link).includes("She+did\u00a0n't+walk+home"));
});

test("addresses without an exercise", () => {
  for (const link of ["", "words=a+b", "exercise=x", "exercise=x&item=", "exercise=x&item=k+one"])
    assert.equal(fromExerciseLink(link), null);
});

test("the service judges places, with the mark at the end", () => {
  const item = { words: ["b", "a"], end: "?", key: "" };
  assert.deepEqual(judgement(item, [1, 0], null), {
    words: ["b", "a", "?"],
    last: 3,
    order: [2, 1, 3],
  });
  assert.deepEqual(judgement({ ...item, end: "" }, [1, 0], "fr"), {
    words: ["b", "a"],
    order: [2, 1],
    options: { model: "fr" },
  });
});
