import assert from "node:assert/strict";
import test from "node:test";

const stored = new Map();
globalThis.sessionStorage = {
  getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
  setItem: (/** @type {string} */ key, /** @type {string} */ value) => stored.set(key, value),
};
const { latest, Service, ServiceError } =
  await import("../../../../src/syntagma/server/page/service.js");

/** A service whose answers are given, with the conditions that it reports. */
function serviceWith(/** @type {any[]} */ ...answers) {
  /** @type {string[]} */
  const conditions = [];
  globalThis.fetch = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { service: new Service((condition) => conditions.push(condition)), conditions };
}

const answered = (status, body, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers });

test("an error names its field", async () => {
  const error = { code: "invalid", message: "no", field: "first" };
  const { service } = serviceWith(answered(422, { error }));
  await assert.rejects(service.post("v1/order", {}), (found) => {
    assert.ok(found instanceof ServiceError);
    assert.deepEqual(
      [found.status, found.code, found.message, found.field],
      [422, "invalid", "no", "first"],
    );
    return true;
  });
});

test("an error without words has some", async () => {
  const { service } = serviceWith(new Response("<html>", { status: 502 }));
  await assert.rejects(service.post("v1/order", {}), /status 502/);
});

test("a cancelled answer is no error of the service", async () => {
  const controller = new AbortController();
  const response = answered(200, {});
  response.json = async () => {
    controller.abort();
    throw controller.signal.reason;
  };
  const { service } = serviceWith(response);
  await assert.rejects(service.post("v1/order", {}, controller.signal), { name: "AbortError" });
});

test("a server that is gone is asked for its health, then for the answer", async () => {
  const { service, conditions } = serviceWith(
    new TypeError("failed to fetch"),
    new Response("", { status: 500 }),
    answered(200, {}),
    answered(200, { text: "a" }),
  );
  assert.deepEqual(await service.post("v1/order", {}), { text: "a" });
  assert.deepEqual(conditions, ["gone", "ready"]);
});

test("a busy server is asked again", async () => {
  const { service, conditions } = serviceWith(
    answered(503, {}, { "Retry-After": "0.01" }),
    answered(200, { text: "a" }),
  );
  assert.deepEqual(await service.post("v1/order", {}), { text: "a" });
  assert.deepEqual(conditions, ["busy", "ready"]);
});

test("only the newest call runs, unless it is cancelled", async () => {
  const ran = [];
  const run = latest(async (argument) => void ran.push(argument));
  run(1, 5);
  run(2, 5);
  await new Promise((resolve) => setTimeout(resolve, 30));
  run(3, 5);
  run.cancel();
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(ran, [2]);
});
