/**
 * What the page begins with, and what the button “Example” goes through, for each mode.
 *
 * @typedef {import("./state.js").State} State
 */

import { EMPTY, stateOf } from "./state.js";

/** @type {Record<string, State[]>} */
export const EXAMPLES = {
  words: [
    stateOf(["yesterday", "sister", "long", "my", "a", "letter", "me", "wrote", "."]),
    stateOf(["was", "home", "it", "because", "raining", "slowly", "She", "walked", "."]),
    stateOf(["her", "every", "mother", "a", "writes", "evening", "to", "letter", "She", "."]),
  ],
  lemmas: [
    {
      ...EMPTY,
      mode: "lemmas",
      words: [
        { id: 1, text: "cake" },
        { id: 2, text: "eat", tag: "VBD" },
        { id: 3, text: "the" },
        { id: 4, text: "two" },
        { id: 5, text: "child", features: "Number=Plur" },
        { id: 6, text: "." },
      ],
    },
    stateOf(["in", "she", "live", "New York", "not", "do", "."], { mode: "lemmas" }),
  ],
  exercise: [
    {
      ...EMPTY,
      mode: "exercise",
      title: "Put the words in order",
      sentences:
        "She walked home because it was raining.\nMy sister wrote me a long letter yesterday.",
    },
  ],
};
