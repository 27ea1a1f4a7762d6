import assert from "node:assert/strict";
import test from "node:test";
import {
  toCurl,
  toPythonLibrary,
  toPythonRequest,
} from "../../../../src/syntagma/server/page/snippets.js";
import { stateOf } from "../../../../src/syntagma/server/page/state.js";

const SMOLLM2 = { judge: "smollm2-b179c952", judge_weight: "0.5/0.8/0.6/1.25" };

test("the judge is asked in code as on the page", () => {
  const state = stateOf(["dog", "barks"], { judge: true });
  const [plain, base] = [stateOf(["dog", "barks"]), "http://localhost/"];
  assert.match(toCurl(state, base, false), /"judge":true/);
  assert.match(toPythonRequest(state, base, false), /"judge": True/);
  for (const [judge, loaded] of /** @type {const} */ ([
    [SMOLLM2, '"en", judge="smollm2"'],
    [{ ...SMOLLM2, judge_weight: "0.3" }, '"en", judge="smollm2", judge_weight=0.3'],
    [
      { judge: "my-own-0123abcd", judge_weight: "0.5" },
      '"en", judge="my-own.gguf", judge_weight=0.5',
    ],
    [null, '"en"'],
  ])) {
    assert.ok(toPythonLibrary(state, "en", judge).includes(`syntagma.load(${loaded})\n`));
    assert.ok(toPythonLibrary(plain, "en", judge).includes('syntagma.load("en")\n'));
  }
});
