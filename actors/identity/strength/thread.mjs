// Estimates passwords for `strength.ts`. Plain JavaScript: a thread begins with it as it is, from the sources too.
import { parentPort } from "node:worker_threads";
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary as common } from "@zxcvbn-ts/language-common";
import { dictionary as english } from "@zxcvbn-ts/language-en";

/**
 * What is looked at at once. The time grows with the square of it and more: 128 characters of "p4$$w0rd" took 8 s, 40 take a
 * quarter of one.
 */
const LOOKED_AT = 40;
/** Of letters that stand for others; at the library's 100 the same 40 characters take two seconds. */
const MOST_SUBSTITUTIONS = 10;

// Making it takes half a second.
const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  maxLength: LOOKED_AT,
  l33tMaxSubstitutions: MOST_SUBSTITUTIONS,
});

/** 0 (guessed at once) to 4; of a long password the better of its beginning and its end. */
function estimate(password, ownWords) {
  const first = zxcvbn.check(password.slice(0, LOOKED_AT), ownWords).score;
  if (password.length <= LOOKED_AT || first === 4) return first;
  return Math.max(first, zxcvbn.check(password.slice(-LOOKED_AT), ownWords).score);
}

parentPort.postMessage({ isReady: true });
parentPort.on("message", ({ password, ownWords }) =>
  parentPort.postMessage({ score: estimate(password, ownWords) }),
);
