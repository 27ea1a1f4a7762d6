import assert from "node:assert/strict";
import test from "node:test";
import {
  keepTogether,
  putBefore,
  setFirst,
  setHead,
  setLast,
  setProperty,
} from "../../../../src/syntagma/server/page/constraints.js";
import { fromLink, toLink } from "../../../../src/syntagma/server/page/link.js";
import { EMPTY, requestOf, stateOf } from "../../../../src/syntagma/server/page/state.js";

test("a link reproduces everything", () => {
  let state = stateOf(["a&b", "c=d", "#", "+", "50%", ":", "ünïcødé", "הכלב"], {
    diverse: true,
    projective: true,
    judge: true,
    count: 10,
    chosen: 2,
    model: "fr",
  });
  state = { ...putBefore(setLast(setFirst(state, 1), 8), 2, 3), chosen: 2 };
  state = setProperty(state, 6, "tag", ":");
  state = setProperty(state, 2, "features", "Number=Plur|Case=Nom");
  state = setProperty(setProperty(state, 3, "features", ""), 2, "upos", "NOUN");
  state = setHead(setHead(setHead(state, 3, 2, "nsubj:pass"), 2, 0), 4, 2);
  state = { ...keepTogether(state, 5, 7), chosen: 2 };
  for (const mode of ["words", "lemmas"]) {
    const wanted = { ...state, mode };
    const link = toLink(wanted);
    assert.deepEqual(requestOf(fromLink(`#${link}`)), requestOf(wanted));
    assert.equal(fromLink(link).chosen, 2);
    assert.equal(toLink(fromLink(link)), link);
  }
});

test("links are readable", () => {
  const state = setHead(setFirst(stateOf(["barked", "the", "dog"]), 2), 3, 1, "nsubj");
  assert.equal(toLink(state), "words=barked+the+dog&first=2&head=3:1:nsubj");
});

test("random states survive", () => {
  let seed = 7;
  const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let time = 0; time < 300; time++) {
    const size = 1 + random(6);
    let state = stateOf(
      Array.from({ length: size }, () => ["dog", "it 's", "é", "%", "&=", "-", "1:2"][random(7)]),
    );
    for (let step = random(8); step > 0; step--) {
      const [a, b] = [1 + random(size), 1 + random(size)];
      state = [
        () => setFirst(state, a),
        () => setLast(state, a),
        () => putBefore(state, a, b),
        () => setHead(state, a, random(size + 1), ["det", undefined, "a:b"][random(3)]),
        () => setProperty(state, a, "tag", ["NN", ":", "-LRB-", "''"][random(4)]),
        () => setProperty(state, a, "upos", ["NOUN", undefined][random(2)]),
        () => setProperty(state, a, "features", ["Case=Nom|A=1:2", "", undefined][random(3)]),
      ][random(7)]();
    }
    assert.deepEqual(requestOf(fromLink(toLink(state))), requestOf(state));
  }
});

test("an exercise that is being written has a link, too", () => {
  const state = { ...EMPTY, mode: "exercise", title: "A & B", sentences: "She sleeps.\nHe wakes." };
  assert.deepEqual(fromLink(toLink(state)), state);
});

test("what cannot be read is left out", () => {
  assert.equal(fromLink(""), null);
  assert.equal(fromLink("#main"), null);
  assert.equal(fromLink("#mode=__proto__"), null);
  const broken =
    "words=a+b&first=9&last=x&before=1-1&before=3-1&before=1&tag=:NN&tag=7:NN&head=1:1&head=2:9:det&orders=1e9&order=-3&features=1:&upos=2:&upos=7:X&projective=1";
  assert.deepEqual(fromLink(broken), stateOf(["a", "b"]));
});
