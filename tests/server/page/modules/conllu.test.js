import assert from "node:assert/strict";
import test from "node:test";
import { parseConllu, writeConllu } from "../../../../src/syntagma/server/page/conllu.js";
import { readProblems } from "../../../../src/syntagma/server/page/files.js";

const TEXT = [
  "# sent_id = 1",
  "# text = Dogs don't bark.",
  "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t_\t_",
  "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_",
  "2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_",
  "3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_",
  "4\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No",
  "5\t.\t.\tPUNCT\t.\t_\t_\t_\t_\t_",
  "5.1\tx\t_\t_\t_\t_\t_\t_\t_\t_",
  "",
  "1\tYes\tyes\tINTJ\tUH\t_\t_\t_\t_\t_",
].join("\r\n");
const WORDS = { lemmas: false, tagColumn: "XPOS" };

test("words, both tags, features, heads and labels are read", () => {
  const [first, second] = parseConllu(TEXT, WORDS);
  const features = ""; // of a word that has none, in a sentence that has some
  assert.deepEqual(first, [
    {
      id: 1,
      text: "Dogs",
      tag: "NNS",
      upos: "NOUN",
      head: 4,
      deprel: "nsubj",
      features: "Number=Plur",
    },
    { id: 2, text: "do", tag: "VBP", upos: "AUX", head: 4, deprel: "aux", features },
    { id: 3, text: "n't", tag: "RB", upos: "PART", head: 4, deprel: "advmod", features },
    { id: 4, text: "bark", tag: "VB", upos: "VERB", head: 0, deprel: "root", features },
    { id: 5, text: ".", tag: ".", upos: "PUNCT", features },
  ]);
  assert.deepEqual(second, [{ id: 1, text: "Yes", tag: "UH", upos: "INTJ" }]);
});

test("of a column that holds anything, what can be read is read", () => {
  const row = (upos, features) =>
    parseConllu(`1\tx\t_\t${upos}\t_\t${features}\t_\t_\t_\t_`, WORDS)[0][0];
  assert.deepEqual(row("A B", "x|=y|Case=Nom|Case=Acc|A=|Foreign=Yes|a b=c"), {
    id: 1,
    text: "x",
    features: "Case=Nom|Foreign=Yes",
  });
  assert.deepEqual(row("", "x"), { id: 1, text: "x" });
});

test("words without forms are lemmas, and only an underscore is an underscore", () => {
  const row = (form, lemma) => `1\t${form}\t${lemma}\t_\t_\t_\t_\t_\t_\t_`;
  assert.throws(() => parseConllu(row("_", "eat"), WORDS), /Line 1: “eat” has a lemma but no form/);
  assert.equal(parseConllu(row("_", "eat"), { ...WORDS, lemmas: true })[0][0].text, "eat");
  assert.equal(parseConllu(row("_", "_"), WORDS)[0][0].text, "_");
});

test("lemma mode reads lemmas and features; universal tags where the model wants them", () => {
  const [first] = parseConllu(TEXT, { lemmas: true, tagColumn: "UPOS" });
  assert.deepEqual(first[0], {
    id: 1,
    text: "dog",
    tag: "NOUN",
    head: 4,
    deprel: "nsubj",
    features: "Number=Plur",
  });
});

test("errors name the line", () => {
  assert.throws(() => parseConllu("# a\n1\tb\tc", WORDS), /Line 2: expected 10 columns .* found 3/);
  assert.throws(
    () => parseConllu(TEXT.replace("\n2\tdo", "\n9\tdo"), WORDS),
    /Line 5: expected ID 2, found 9/,
  );
  assert.throws(
    () => parseConllu(TEXT.replace("\t0\troot", "\tx\troot"), WORDS),
    /Line 7: HEAD is not a number: x/,
  );
  assert.throws(
    () => parseConllu(TEXT.replace("\t0\troot", "\t8\troot"), WORDS),
    /the head of “bark”, 8/,
  );
});

test("a result is written with multiword tokens and spaces, and can be read again", () => {
  const result = {
    text: "Ne t'en va pas",
    score: -1.5,
    words: [
      {
        form: "du",
        lemma: "de",
        tag: "ADP",
        head: 2,
        deprel: "case",
        source: 1,
        features: null,
        space_after: false,
      },
      {
        form: "pain",
        lemma: "pain",
        tag: "NOUN",
        head: 0,
        deprel: "root",
        source: 2,
        features: "Gender=Masc",
        space_after: true,
      },
    ],
    contractions: [{ first: 1, last: 2, text: "dupain" }],
  };
  const words = [
    { id: 1, text: "de" },
    { id: 2, text: "pain" },
  ];
  const text = writeConllu(result, "UPOS", words);
  assert.equal(
    text,
    "# text = Ne t'en va pas\n# score = -1.5000\n" +
      "1-2\tdupain\t_\t_\t_\t_\t_\t_\t_\t_\n" +
      "1\tdu\tde\tADP\t_\t_\t2\tcase\t_\t_\n" +
      "2\tpain\tpain\tNOUN\t_\tGender=Masc\t0\troot\t_\t_\n\n",
  );
  assert.deepEqual(parseConllu(text, { lemmas: false, tagColumn: "UPOS" })[0], [
    { id: 1, text: "du", tag: "ADP", head: 2, deprel: "case", features: "" },
    { id: 2, text: "pain", tag: "NOUN", head: 0, deprel: "root", features: "Gender=Masc" },
  ]);
});

const read = (name, text) => readProblems(name, text, { mode: "words", tagColumn: "XPOS" });

test("JSON: a list, an object, a line for each problem", () => {
  assert.deepEqual(
    read("a.json", '["a", "b"]')[0].words.map((word) => word.text),
    ["a", "b"],
  );
  const [state] = read(
    "a.json",
    '{"words": ["a", {"form": "b", "tag": "NN", "head": 1, "deprel": "det", "features": {"A": "B"}, "upos": "NOUN"}], "before": [[2, 1]], "first": 2, "last": 1}',
  );
  assert.deepEqual(state.words[1], {
    id: 2,
    text: "b",
    tag: "NN",
    head: 1,
    deprel: "det",
    features: "A=B",
    upos: "NOUN",
  });
  assert.deepEqual([state.before, state.first, state.last], [[[2, 1]], 2, 1]);
  assert.equal(read("a.jsonl", '["a"]\n["b"]\n').length, 2);
});

test("the format is guessed where the name does not tell it", () => {
  assert.equal(read("x", ' ["a"]')[0].words.length, 1);
  assert.equal(read("x", TEXT.replaceAll("\r", "")).length, 2);
  assert.deepEqual(
    read("x.txt", "in\tNew York\nthe dog\n").map((state) => state.words.length),
    [2, 2],
  );
});

test("files that cannot be read are refused in words", () => {
  for (const [text, message] of [
    ["{", /Not JSON/],
    ['["a"]\n{', /Line 2 is not JSON/],
    ['{"a": 1}', /Problem 1: expected a list of words/],
    ["[1]", /words\[0\] has neither a form nor a lemma/],
    ['{"words": ["a"], "first": 2}', /first is not the number of a word: 2/],
    ['{"words": ["a"], "before": [1]}', /before\[0\] is not a pair/],
    ['{"words": ["a"], "before": 1}', /before is not a list/],
    ["[]", /holds no words/],
  ])
    assert.throws(() => read("a.json", text), message);
});
