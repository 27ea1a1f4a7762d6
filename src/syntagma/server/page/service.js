/**
 * Requests to the service. A newer request cancels the older one. If the server is gone, the page
 * asks for its health until it is back and then sends the request again; if it is busy, the page
 * waits as long as the server says.
 *
 * @typedef {"ready" | "gone" | "busy" | "locked" | "refused"} Condition
 *   locked: the server asks for a token; refused: it does not accept the one it got
 */

/** An answer of the service other than success. `field` is the part of the request it is about. */
export class ServiceError extends Error {
  constructor(
    /** @type {number} */ status,
    /** @type {{message?: string, code?: string, field?: string | null}} */ error,
  ) {
    super(error.message || `The server answered with status ${status}.`);
    this.status = status;
    this.code = error.code ?? "";
    this.field = error.field ?? null;
  }
}

const PATIENCE = { first: 500, longest: 5000 }; // milliseconds between two looks for the server

/** A connection to the server that has delivered the page. */
export class Service {
  /** @type {Condition} */
  condition = "ready";
  #token = sessionStorage.getItem("token");
  /** @type {(() => void)[]} */
  #waiting = [];

  constructor(/** @type {(condition: Condition) => void} */ onCondition) {
    this.onCondition = onCondition;
  }

  /** Whether requests carry a token. */
  get hasToken() {
    return this.#token !== null;
  }

  /** Use this token, and send again what was refused without it. */
  setToken(/** @type {string} */ token) {
    this.#token = token;
    sessionStorage.setItem("token", token);
    this.#waiting.splice(0).forEach((resume) => resume());
  }

  get(
    /** @type {string} */ path,
    /** @type {AbortSignal} */ signal = new AbortController().signal,
  ) {
    return this.#send(path, { headers: {} }, signal);
  }

  post(
    /** @type {string} */ path,
    /** @type {object} */ body,
    /** @type {AbortSignal} */ signal = new AbortController().signal,
  ) {
    const headers = { "Content-Type": "application/json" };
    return this.#send(path, { method: "POST", headers, body: JSON.stringify(body) }, signal);
  }

  /**
   * @param {string} path
   * @param {{method?: string, headers: Record<string, string>, body?: string}} request
   * @param {AbortSignal} signal
   * @returns {Promise<any>}
   */
  async #send(path, request, signal) {
    for (;;) {
      const headers = {
        ...request.headers,
        ...(this.#token ? { Authorization: `Bearer ${this.#token}` } : {}),
      };
      let response;
      try {
        response = await fetch(path, { ...request, headers, signal, cache: "no-store" });
      } catch (error) {
        if (signal.aborted) throw error;
        await this.#return(signal);
        continue;
      }
      if (response.status === 429 || response.status === 503) {
        this.#become("busy");
        await pause(1000 * (Number(response.headers.get("Retry-After")) || 1), signal);
        continue;
      }
      if (response.status === 401) {
        this.#become(this.#token ? "refused" : "locked");
        await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
        signal.throwIfAborted();
        continue;
      }
      this.#become("ready");
      const answer = await response.json().catch(() => null);
      signal.throwIfAborted(); // a cancelled answer is no error
      if (response.ok && answer !== null) return answer;
      throw new ServiceError(response.status, answer?.error ?? {});
    }
  }

  /** Wait until the server is back. */
  async #return(/** @type {AbortSignal} */ signal) {
    this.#become("gone");
    for (let wait = PATIENCE.first; ; wait = Math.min(2 * wait, PATIENCE.longest)) {
      await pause(wait, signal);
      const healthy = await fetch("healthz", { signal, cache: "no-store" }).then(
        (response) => response.ok,
        () => false,
      );
      if (healthy) return;
    }
  }

  #become(/** @type {Condition} */ condition) {
    if (condition === this.condition) return;
    this.condition = condition;
    this.onCondition(condition);
  }
}

/**
 * A function that runs `task` with its newest argument, after a pause in which no other call comes,
 * and cancels the run before; so does its `cancel`.
 *
 * @template T
 * @param {(argument: T, signal: AbortSignal) => Promise<void>} task
 * @returns {((argument: T, delay?: number) => void) & {cancel: () => void}}
 */
export function latest(task) {
  let controller = new AbortController();
  const run = (/** @type {T} */ argument, delay = 0) => {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    pause(delay, signal)
      .then(() => task(argument, signal))
      .catch((error) => {
        if (!signal.aborted) throw error;
      });
  };
  return Object.assign(run, { cancel: () => controller.abort() });
}

/** @returns {Promise<void>} */
function pause(/** @type {number} */ milliseconds, /** @type {AbortSignal} */ signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
