/**
 * The page: holds the state, shows it, asks the service, and keeps the address in step. Each part of
 * the page has a module of its own; this one connects them.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {import("./conllu.js").Result} Result
 * @typedef {{name: string, language?: string, language_name?: string, tag_column?: string, tags?: string[], labels?: string[], upos?: string[], features?: string[], lifts?: boolean, realizes?: boolean, judge?: import("./snippets.js").Judge | null}} Model
 */

import { showAlternatives } from "./alternatives.js";
import { arcsInWords, faultOf, foundOf, lineOf, nodesOf, resultsOf, shownOf } from "./answer.js";
import { focusChip, showChips } from "./chips.js";
import { copy } from "./clipboard.js";
import { clearConstraints, constraintsOf, putBefore, setHead } from "./constraints.js";
import { writeConllu } from "./conllu.js";
import { byId, element } from "./elements.js";
import { EXAMPLES } from "./examples.js";
import { fromExerciseLink } from "./exercise.js";
import { readProblems, save } from "./files.js";
import { Learner } from "./learner.js";
import { fromLink, toLink } from "./link.js";
import { Panel } from "./panel.js";
import { Sentence } from "./sentence.js";
import { latest, Service, ServiceError } from "./service.js";
import { toCurl, toPythonLibrary, toPythonRequest } from "./snippets.js";
import {
  COUNTS,
  isProse,
  joinText,
  requestOf,
  shuffled,
  splitProse,
  splitText,
  SWITCHES,
  withTexts,
} from "./state.js";
import { Teacher } from "./teacher.js";
import { startTheme } from "./theme.js";
import { Tree } from "./tree.js";

const TYPING = 180; // milliseconds without a key before a request

/** @type {State} */
let state = EXAMPLES.words[0];
/** @type {{state: State, results: Result[]} | null} what is on show: an answer and what was asked */
let answer = null;
/** @type {ReadonlySet<string>} constraints of the last request that succeeded */
let held = new Set();
/** @type {Model[]} */
let models = [];
let defaultModel = "en";
/** @type {{states: State[], place: number, name: string} | null} a file of several problems */
let opened = null;
/** @type {Record<string, State>} the last state of each mode */
const remembered = {};

const service = new Service(showCondition);
const sentence = new Sentence(byId("sentence"), {
  onWord: (id, anchor) => panel.open(id, anchor),
  onBefore: (a, b) => change(putBefore(state, a, b)),
});
const tree = new Tree(byId("tree"), {
  onWord: (id, anchor) => panel.open(id, anchor),
  onArc: (head, dependent, anchor) => {
    change(setHead(state, dependent, head));
    panel.open(dependent, anchor, "panel-label");
  },
});
const panel = new Panel({
  state: () => state,
  found: (id) => (answer ? foundOf(answer.state, answer.results[shownPlace()], id) : null),
  vocabulary: () => {
    const { tags = [], labels = [], upos = [], features = [] } = model() ?? {};
    return { tags, labels, upos, features };
  },
  change: (next, focus) => {
    change(next);
    if (focus !== undefined) sentence.buttonOf(focus)?.focus();
  },
  anchorOf: (id) => sentence.buttonOf(id),
});
const teacher = new Teacher({
  service,
  tokenize,
  copy,
  change: (edit) => change({ ...state, ...edit }, "replace"),
});
const learner = new Learner({ service, say });

const ask = latest(async (/** @type {State} */ asked, signal) => {
  const { path, body } = requestOf(asked);
  const begun = performance.now();
  const pending = setTimeout(() => byId("result").classList.add("stale"), 250);
  try {
    const got = await service.post(path, body, signal);
    answer = { state: asked, results: resultsOf(got) };
    held = new Set(constraintsOf(asked).map((constraint) => constraint.key));
    byId("timing").textContent = `${Math.round(performance.now() - begun)} ms`;
    byId("result").classList.remove("stale");
    showFault(null);
    showNotes(got.warnings ?? []);
    showAnswer();
    say(lineOf(asked, answer.results[shownPlace()]));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    showFault(faultOf(asked, error, held));
    byId("result").classList.add("stale"); // it does not answer what is asked now
  } finally {
    clearTimeout(pending);
  }
});

const read = latest(async (/** @type {string} */ text, signal) => {
  const { mode } = state;
  const texts = await tokenize(text, signal);
  if (state.mode === mode) change(withTexts(state, texts), "replace");
});

/** Go to a state, show it and ask for its answer. The step can be undone with the Back button. */
function change(
  /** @type {State} */ next,
  /** @type {"push" | "replace" | "none"} */ history_ = "push",
  delay = 0,
) {
  const asks =
    JSON.stringify(requestOf(next)) !== JSON.stringify(requestOf(state)) ||
    answer === null ||
    next.mode !== state.mode;
  state = next;
  remembered[state.mode] = state;
  const address = `#${toLink(state)}`;
  if (history_ !== "none" && address !== location.hash)
    history[history_ === "push" ? "pushState" : "replaceState"](null, "", address);
  show();
  if (state.mode === "exercise") return ask.cancel();
  if (!state.words.length) {
    answer = null;
    ask.cancel();
    byId("result").classList.remove("stale");
    showAnswer();
    showFault(null);
  } else if (asks) ask(state, delay);
  else showAnswer();
}

/** Show the state: everything that does not depend on an answer. */
function show() {
  const exercise = state.mode === "exercise" ? fromExerciseLink(location.hash) : null;
  byId("ordering").hidden = state.mode === "exercise";
  byId("teacher").hidden = state.mode !== "exercise" || exercise !== null;
  byId("learner").hidden = exercise === null;
  document.querySelectorAll("button.mode").forEach((button) => {
    const current = /** @type {HTMLElement} */ (button).dataset.mode === state.mode;
    if (current) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  });
  showModel();
  if (exercise) return learner.start(exercise);
  if (state.mode === "exercise") return teacher.show(state);

  byId("text-label").textContent =
    state.mode === "lemmas" ? "Lemmas, in any order" : "Words, in any order";
  const box = byId("text");
  if (document.activeElement !== box && box.value.trim() !== joinText(state.words))
    box.value = joinText(state.words);
  grow(box);
  for (const name of SWITCHES) byId(name).checked = state[name];
  byId("count").value = String(state.count);
  showChips(constraintsOf(state), chipListeners, null);
  showCode();
  panel.refresh();
}

const chipListeners = {
  onRemove: (
    /** @type {import("./constraints.js").Constraint} */ constraint,
    /** @type {number} */ place,
  ) => {
    change(constraint.remove(state));
    focusChip(place);
    say(`Removed: ${constraint.parts.filter(Boolean).join(" ")}`);
  },
  onClear: () => {
    change(clearConstraints(state));
    byId("text").focus();
  },
};

/** Which of the results is shown large. */
function shownPlace() {
  return Math.min(state.chosen, (answer?.results.length ?? 1) - 1);
}

/** Show the answer: the sentence, the tree, the alternatives. */
function showAnswer() {
  byId("nothing").hidden = answer !== null;
  for (const id of ["sentence", "tree", "help"]) byId(id).hidden = answer === null;
  for (const id of ["export-conllu", "export-result"]) byId(id).disabled = answer === null;
  const asked = answer?.state ?? state;
  const result = answer?.results[shownPlace()];
  if (result) {
    sentence.show(shownOf(asked, result));
    tree.draw(nodesOf(asked, result));
  }
  byId("tree-text").replaceChildren(
    ...(result ? arcsInWords(result).map((text) => element("li", {}, text)) : []),
  );
  const lines =
    answer?.results.map((each) => ({ text: lineOf(asked, each), score: each.score })) ?? [];
  showAlternatives(lines, shownPlace(), (place) => {
    change({ ...state, chosen: place }, "replace");
    say(lines[place].text);
  });
  panel.refresh();
}

/** Show an error of the service next to what caused it. */
function showFault(/** @type {import("./answer.js").Fault | null} */ fault) {
  showChips(constraintsOf(state), chipListeners, fault?.place === "chip" ? fault : null);
  for (const place of ["text", "orders"]) {
    const message = byId(`${place}-error`);
    message.hidden = fault?.place !== place;
    message.textContent = fault?.place === place ? fault.message : "";
  }
  byId("text").setAttribute("aria-invalid", String(fault?.place === "text"));
}

function showNotes(/** @type {string[]} */ warnings) {
  byId("notes").textContent = warnings.join(" ");
  byId("notes").hidden = !warnings.length;
}

function showCondition(/** @type {import("./service.js").Condition} */ condition) {
  const messages = {
    ready: "",
    gone: "The server does not answer. The page tries again and keeps what you have done.",
    busy: "The server is busy. Your request waits for its turn.",
    locked: "",
    refused: "The server does not know this token.",
  };
  byId("condition").textContent = messages[condition];
  showCode(); // with a token or without
  const asks = condition === "locked" || condition === "refused";
  byId("token-form").hidden = !asks;
  if (asks) byId("token").focus();
}

function showCode() {
  const base = new URL(".", location.href.replace(/[#?].*/s, "")).href;
  const language = /** @type {HTMLInputElement} */ (
    document.querySelector("input[name=language]:checked")
  ).value;
  byId("code").textContent =
    language === "curl"
      ? toCurl(state, base, service.hasToken)
      : language === "request"
        ? toPythonRequest(state, base, service.hasToken)
        : toPythonLibrary(state, state.model ?? defaultModel, model()?.judge);
}

function showModel() {
  const { name, language_name: language } = model() ?? { name: "" };
  byId("model").value = name;
  byId("projective-choice").hidden = !model()?.lifts && !state.projective;
  byId("judge-choice").hidden = !model()?.judge && !state.judge;
  byId("about").textContent = name && `Model ${name}${language ? `, ${language}` : ""}`;
}

/** The model in use, as the service describes it. */
function model() {
  return models.find((each) => each.name === (state.model ?? defaultModel));
}

/** The column of CoNLL-U that holds the tags of the model. */
function tagColumn() {
  return (model()?.tag_column ?? "xpos").toUpperCase();
}

/** The words of a text: as they are separated or, if it is a sentence, as the service splits it. */
async function tokenize(/** @type {string} */ text, /** @type {AbortSignal} */ signal) {
  if (!isProse(text)) return splitText(text);
  if (!/^en(g|glish)?([-_]|$)/i.test(model()?.language ?? "en")) return splitProse(text);
  try {
    return (await service.post("v1/tokenize", { text }, signal)).words;
  } catch (error) {
    if (error instanceof ServiceError) return splitProse(text);
    throw error;
  }
}

/** Tell a screen reader. */
function say(/** @type {string} */ text) {
  byId("live").textContent = text;
}

/** A text box as high as its text. */
function grow(/** @type {HTMLTextAreaElement} */ box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
}

async function openFile(/** @type {File} */ file) {
  try {
    if (file.size > 8e6)
      throw new Error(
        `${file.name} is larger than 8 MB. The command line takes files of any size.`,
      );
    const mode = state.mode === "lemmas" ? "lemmas" : "words";
    const states = readProblems(file.name, await file.text(), {
      mode,
      tagColumn: tagColumn(),
    });
    opened = { states, place: 0, name: file.name };
    openProblem(0);
  } catch (error) {
    showFault({ place: "text", message: /** @type {Error} */ (error).message });
  }
}

function openProblem(/** @type {number} */ place) {
  if (!opened) return;
  opened.place = place;
  const { states, name } = opened;
  byId("pager").hidden = states.length < 2;
  byId("pager-text").textContent = `${name}: ${place + 1} of ${states.length}`;
  byId("previous").disabled = place === 0;
  byId("following").disabled = place === states.length - 1;
  const { model, count, diverse, projective, judge } = state;
  change({ ...states[place], model, count, diverse, projective, judge });
}

/** Go where the address says. */
function follow() {
  const next = fromLink(location.hash) ?? EXAMPLES.words[0];
  answer = null;
  change(next, "none");
}

function listen() {
  byId("text").addEventListener("input", (/** @type {any} */ event) => {
    grow(event.target);
    read(event.target.value, TYPING);
  });
  byId("text").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter") event.preventDefault(); // one bag of words; Enter would add a line
  });
  byId("scramble").addEventListener("click", () => {
    byId("text").blur();
    change({ ...state, words: shuffled(state.words) });
  });
  byId("example").addEventListener("click", () => {
    const examples = EXAMPLES[state.mode];
    const current = examples.findIndex(
      (example) => joinText(example.words) === joinText(state.words),
    );
    change({ ...examples[(current + 1) % examples.length], model: state.model });
  });
  byId("import").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", () => {
    const [file] = byId("file").files;
    if (file) openFile(file);
    byId("file").value = "";
  });
  byId("previous").addEventListener("click", () => openProblem((opened?.place ?? 1) - 1));
  byId("following").addEventListener("click", () => openProblem((opened?.place ?? -1) + 1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file && state.mode !== "exercise") openFile(file);
  });
  for (const name of SWITCHES)
    byId(name).addEventListener("change", () =>
      change({ ...state, [name]: byId(name).checked, chosen: 0 }),
    );
  byId("count").addEventListener("change", () =>
    change({ ...state, count: Number(byId("count").value), chosen: 0 }),
  );
  byId("model").addEventListener("change", () =>
    change({
      ...state,
      model: byId("model").value === defaultModel ? null : byId("model").value,
      chosen: 0,
    }),
  );
  document.querySelectorAll("button.mode").forEach((button) => {
    const mode = /** @type {HTMLElement} */ (button).dataset.mode ?? "words";
    button.addEventListener("click", () => change(remembered[mode] ?? EXAMPLES[mode][0]));
  });
  document
    .querySelectorAll("input[name=language]")
    .forEach((input) => input.addEventListener("change", showCode));
  byId("copy-code").addEventListener("click", (/** @type {any} */ event) =>
    copy(byId("code").textContent, event.target),
  );
  byId("copy-link").addEventListener("click", (/** @type {any} */ event) =>
    copy(location.href, event.target),
  );
  byId("export-problem").addEventListener("click", () => {
    const { options: _, ...problem } = requestOf(state).body;
    save("problem.json", JSON.stringify(problem) + "\n", "application/json");
  });
  byId("export-result").addEventListener(
    "click",
    () =>
      answer &&
      save(
        "result.json",
        JSON.stringify(answer.results[shownPlace()], null, 2) + "\n",
        "application/json",
      ),
  );
  byId("export-conllu").addEventListener(
    "click",
    () =>
      answer &&
      save(
        "sentence.conllu",
        writeConllu(answer.results[shownPlace()], tagColumn(), answer.state.words),
        "text/plain",
      ),
  );
  byId("token-form").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    service.setToken(byId("token").value);
  });
  addEventListener("popstate", follow);
}

/** Ask which models there are: for the choice of a model, and for tags and labels. */
async function start() {
  startTheme();
  byId("count").append(...COUNTS.map((count) => element("option", {}, String(count))));
  listen();
  follow();
  const answered = await service.get("v1/models");
  models = answered.models;
  defaultModel = answered.default;
  byId("model").replaceChildren(
    ...models.map(({ name }) => element("option", { value: name }, name)),
  );
  byId("model-choice").hidden = models.length < 2;
  showModel();
  showCode();
  panel.refresh();
}

start();
