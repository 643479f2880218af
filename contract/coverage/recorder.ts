/**
 * What specs observe of the service through its public ports, kept as observations (observe.ts), never as traffic:
 * 1. SPEC_COVERAGE names a folder; without it nothing is recorded.
 * 2. The code that opens a whole service registers its ports (`observePorts`); traffic of other addresses doesn't count.
 * 3. The lane (specs/runner/lane.mjs) announces which spec file runs and whether its test passed: claims (`shows`) count
 *    only then.
 * 4. After its specs the process writes one file. Only observations that an entry needs are kept, so it is bounded.
 */
import { randomUUID } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isObject } from "../json.ts";
import { BEHAVIOURS, type Behaviour } from "./inventory/behaviours.ts";
import { wanted } from "./inventory/entries.ts";
import { type Exchange, observeExchange, observeMessage, observeRefusal } from "./observe.ts";
import { projectRoot, textOf } from "./recorded.ts";

const { SPEC_COVERAGE: folder } = process.env;
const needed = folder ? wanted() : new Set<string>();

/** Observation → spec files. */
const seen = new Map<string, Set<string>>();
const observedHosts = new Set<string>();
const claimed = new Set<string>();
let file: string | null = null;

if (folder) subscribe("livecore:specs", (event) => follow(folder, event));

/** The lane's events: the start of a file, a test's result, the end. Claims outside of a passed test are dropped. */
function follow(folder: string, event: unknown): void {
  if (!isObject(event)) return;
  if (event.isOver === true) write(folder);
  if (typeof event.file === "string") file = relative(projectRoot, event.file);
  if (event.isPassed === true) for (const one of claimed) observe(one);
  claimed.clear();
}

function write(folder: string): void {
  const all = new Map([...seen].map(([observation, files]) => [observation, [...files].sort()]));
  writeFileSync(join(folder, `${randomUUID()}.txt`), textOf(all));
}

function observe(observation: string): void {
  if (file === null || !needed.has(observation)) return;
  const files = seen.get(observation);
  if (files) files.add(file);
  else seen.set(observation, new Set([file]));
}

/** Whether traffic of that address is recorded. */
function counts(url: string): boolean {
  return folder !== undefined && file !== null && observedHosts.has(new URL(url).host);
}

/** Registers these ports of 127.0.0.1 as the service's own. Returns a function that unregisters them. */
export function observePorts(...ports: number[]): () => void {
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  for (const host of hosts) observedHosts.add(host);
  return () => {
    for (const host of hosts) observedHosts.delete(host);
  };
}

export function recordExchange(baseUrl: string, exchange: Exchange): void {
  if (counts(baseUrl)) observeExchange(exchange, observe);
}

/** `text` is a frame received on a socket that was opened at `url`. */
export function recordFrame(url: string, text: string): void {
  const frame: unknown = counts(url) ? JSON.parse(text) : null;
  if (!Array.isArray(frame)) return;
  for (const message of frame) observeMessage(message, observe);
}

/** An upgrade that was refused. */
export function recordRefusal(
  url: string,
  refused: { status: number; body: unknown; retryAfter: string | null },
) {
  if (counts(url)) observeRefusal(refused.status, refused.body, refused.retryAfter, observe);
}

/** Counts once the test that runs has passed. */
export function claim(behaviour: Behaviour): void {
  if (!BEHAVIOURS.has(behaviour)) throw new Error(`The interface's core says nothing of "${behaviour}"`);
  claimed.add(`claim ${behaviour}`);
}
