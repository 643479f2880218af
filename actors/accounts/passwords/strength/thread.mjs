// Estimates password strength for `strength.ts`. Plain JavaScript, so that a worker thread can run it from the sources too.
import { parentPort } from "node:worker_threads";
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary as common } from "@zxcvbn-ts/language-common";
import { dictionary as english } from "@zxcvbn-ts/language-en";

/**
 * Characters checked at once. The time grows at least quadratically: 128 characters of "p4$$w0rd" took 8 s, 40 take a quarter
 * of a second.
 */
const MAX_CHECKED = 40;
/** Limit of l33t substitutions; with the library's default of 100 the same 40 characters take two seconds. */
const MAX_SUBSTITUTIONS = 10;

// Creating it takes half a second.
const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  maxLength: MAX_CHECKED,
  l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
});

/** 0 (guessed at once) to 4; for a long password, the better score of its beginning and its end. */
function estimate(password, ownWords) {
  const first = zxcvbn.check(password.slice(0, MAX_CHECKED), ownWords).score;
  if (password.length <= MAX_CHECKED || first === 4) return first;
  return Math.max(first, zxcvbn.check(password.slice(-MAX_CHECKED), ownWords).score);
}

parentPort.postMessage({ isReady: true });
parentPort.on("message", ({ password, ownWords }) =>
  parentPort.postMessage({ score: estimate(password, ownWords) }),
);
