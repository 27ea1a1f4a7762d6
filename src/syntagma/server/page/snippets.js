/**
 * The request of the page for other hands: as a `curl` command, and as Python with and without a
 * server.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {{judge: string, judge_weight: string}} Judge  as the service describes it
 */

import { requestOf } from "./state.js";

/** A command for the shell. */
export function toCurl(
  /** @type {State} */ state,
  /** @type {string} */ base,
  /** @type {boolean} */ token,
) {
  const { path, body } = requestOf(state);
  const lines = [`curl -s ${base}${path}`, "-H 'Content-Type: application/json'"];
  if (token) lines.push('-H "Authorization: Bearer $SYNTAGMA_TOKEN"');
  lines.push(`-d ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

/** A Python program that sends the same request; the standard library is enough. */
export function toPythonRequest(
  /** @type {State} */ state,
  /** @type {string} */ base,
  /** @type {boolean} */ token,
) {
  const { path, body } = requestOf(state);
  const authorization = token ? `, "Authorization": "Bearer " + os.environ["SYNTAGMA_TOKEN"]` : "";
  return [
    "import json",
    ...(token ? ["import os"] : []),
    "import urllib.request",
    "",
    `problem = ${python(body)}`,
    "request = urllib.request.Request(",
    `    ${python(base + path)},`,
    "    json.dumps(problem).encode(),",
    `    {"Content-Type": "application/json"${authorization}},`,
    ")",
    "with urllib.request.urlopen(request) as answer:",
    '    for result in json.load(answer)["n_best"]:',
    '        print(result["score"], result["text"])',
  ].join("\n");
}

/** A Python program that does the same with the library alone. */
export function toPythonLibrary(
  /** @type {State} */ state,
  /** @type {string} */ model,
  /** @type {Judge | null | undefined} */ judge = null,
) {
  const { body } = requestOf(state);
  const key = state.mode === "lemmas" ? "lemma" : "form";
  const words = body.words.map((/** @type {any} */ word) => {
    const properties = Object.entries(typeof word === "string" ? { [key]: word } : word);
    return `Word(${properties.map(([name, value]) => (name === "form" ? python(value) : `${name}=${python(value)}`)).join(", ")})`;
  });
  const more = [
    ...(body.before
      ? [
          `before=(${body.before.map((/** @type {number[]} */ pair) => `(${pair.join(", ")}),`).join(" ")})`,
        ]
      : []),
    ...(body.first ? [`first=${body.first}`] : []),
    ...(body.last ? [`last=${body.last}`] : []),
  ];
  const options = [
    `n_best=${body.options.n_best}`,
    ...(body.options.diverse ? ["diverse=True"] : []),
    ...(body.options.projective ? ["projective=True"] : []),
  ];
  const loaded = [python(model), ...(body.options.judge && judge ? judgeOf(judge) : [])];
  return [
    "import syntagma",
    "from syntagma import Problem, Word",
    "",
    "problem = Problem(",
    "    (",
    ...words.map((/** @type {string} */ word) => `        ${word},`),
    "    ),",
    ...more.map((argument) => `    ${argument},`),
    ")",
    `model = syntagma.load(${loaded.join(", ")})`,
    `for result in model.${state.mode === "lemmas" ? "realize" : "order"}(problem, ${options.join(", ")}):`,
    "    print(result.score, result.text)",
  ].join("\n");
}

/** The arguments of `load` for a judge: its name or file, and its weight, if that is always the same. */
function judgeOf(/** @type {Judge} */ { judge, judge_weight: weight }) {
  const name = judge.replace(/-[0-9a-f]{8}$/, ""); // without the checksum
  return [
    `judge=${python(name === "smollm2" ? name : `${name}.gguf`)}`,
    ...(weight.includes("/") ? [] : [`judge_weight=${weight}`]),
  ];
}

/** A value of JSON as a Python literal. @returns {string} */
function python(/** @type {any} */ value) {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, each]) => `${python(key)}: ${python(each)}`)
      .join(", ")}}`;
  return JSON.stringify(value); // numbers and strings are written alike
}

/** A string as one word of the shell. */
function quoted(/** @type {string} */ text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
