import assert from "node:assert/strict";
import test from "node:test";
import { isRightToLeft, layOut, levelsOf } from "../../../../src/syntagma/server/page/tree.js";

const nodes = (...heads) =>
  heads.map((head, index) => ({ form: "word", tag: "NN", head, label: "nsubj", id: index + 1 }));
const measure = (text) => 7 * text.length;

test("an arc lies above those that it spans", () => {
  assert.deepEqual(levelsOf(nodes(2, 3, 0, 3)), [1, 1, 0, 1]);
  assert.deepEqual(levelsOf(nodes(3, 3, 5, 5, 0)), [2, 1, 2, 1, 0]);
});

test("no two arcs that overlap have the same level, in any tree", () => {
  let seed = 11;
  const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let time = 0; time < 200; time++) {
    const size = 2 + random(9);
    const root = random(size);
    const heads = Array.from({ length: size }, (_, place) => {
      if (place === root) return 0;
      const head = random(size);
      return head === place ? root + 1 : head + 1;
    });
    const levels = levelsOf(heads.map((head) => ({ head })));
    const spans = heads.flatMap((head, place) =>
      head
        ? [
            {
              left: Math.min(head - 1, place),
              right: Math.max(head - 1, place),
              level: levels[place],
            },
          ]
        : [],
    );
    for (const a of spans)
      for (const b of spans)
        if (a !== b && a.left < b.right && b.left < a.right)
          assert.notEqual(a.level, b.level, String(heads));
  }
});

test("words do not touch, labels fit, and all is inside", () => {
  const { xs, width, arcs } = layOut(nodes(2, 3, 0, 3, 4), measure, false, 0);
  for (let place = 1; place < xs.length; place++)
    assert.ok(xs[place] - xs[place - 1] >= measure("nsubj") + 10);
  for (const { from, to } of arcs) assert.ok(from > 0 && to > 0 && from < width && to < width);
});

test("arcs at a word are apart and do not cross", () => {
  const { arcs } = layOut(nodes(3, 3, 0, 3, 3), measure, false, 0);
  const feet = arcs.map((arc) => (arc.head < 0 ? arc.to : arc.from)); // all at word 3
  assert.ok(feet[1] < feet[0] && feet[0] < feet[2] && feet[2] < feet[4] && feet[4] < feet[3]);
});

test("from right to left it is the mirror image", () => {
  const [left, right] = [false, true].map((direction) =>
    layOut(nodes(2, 0, 2), measure, direction, 900),
  );
  assert.deepEqual(
    right.xs,
    left.xs.map((x) => left.width - x),
  );
});

test("a tree uses its room, but not too much", () => {
  const narrow = layOut(nodes(2, 0, 2), measure, false, 0).width;
  assert.ok(layOut(nodes(2, 0, 2), measure, false, 1.2 * narrow).width > narrow);
  assert.ok(layOut(nodes(2, 0, 2), measure, false, 1e6).width < 2 * narrow);
});

test("the direction is that of most words", () => {
  assert.ok(isRightToLeft(["הכלב", "نبح", "."]));
  assert.ok(!isRightToLeft(["the", "dog", "."]));
  assert.ok(!isRightToLeft([]));
  assert.ok(!isRightToLeft(["הכלב", "barked"]));
});

test("labels stand in the middle of their arcs, or where no arc crosses them", () => {
  let seed = 5;
  const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  let crossed = 0;
  for (let time = 0; time < 200; time++) {
    const size = 2 + random(7);
    const order = Array.from({ length: size }, (_, index) => index).sort(() => random(3) - 1);
    const heads = Array.from({ length: size }, () => 0);
    for (let index = 1; index < size; index++) heads[order[index]] = order[random(index)] + 1;
    const { arcs, base } = layOut(nodes(...heads), measure, false, 0);
    const height = (arc) => (arc.head < 0 ? base : arc.level);
    for (const arc of arcs) {
      const [left, right] = [arc.from, arc.to].sort((a, b) => a - b);
      const cuts = arcs
        .filter((other) => height(other) > height(arc))
        .flatMap((other) => [other.from, other.to])
        .filter((x) => left < x && x < right);
      crossed += cuts.length ? 1 : 0;
      if (!cuts.length) assert.equal(arc.label, (arc.from + arc.to) / 2);
      // No other place on the arc is further from the lines that run through it.
      const distance = (x) => Math.min(...[left, right, ...cuts].map((each) => Math.abs(each - x)));
      for (let x = left; x < right; x += 3)
        assert.ok(distance(arc.label) >= distance(x) - 1e-6, String(heads));
    }
  }
  assert.ok(crossed > 50);
});

test("universal tags have a line of their own, if there are any", () => {
  const plain = nodes(2, 0);
  const tagged = [{ ...plain[0], upos: "A-VERY-LONG-TAG" }, plain[1]];
  const [without, with_] = [plain, tagged].map((each) => layOut(each, measure, false, 0));
  assert.ok(with_.height > without.height);
  assert.ok(with_.xs[1] - with_.xs[0] > without.xs[1] - without.xs[0]);
});
