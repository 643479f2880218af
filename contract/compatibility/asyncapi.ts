import { isObject, type JsonObject, objectAt } from "../json.ts";
import { createSchemaComparison } from "./schemas.ts";
import { hasEnded } from "./sunset.ts";

/** The same for sockets: commands are requests; server messages and command results are responses. */
export function brokenSocketPromises(before: JsonObject, after: JsonObject, now: number): string[] {
  const schemas = createSchemaComparison({ before, after, now });
  const broken: string[] = [];
  for (const [kind, list] of [
    ["channel", channelsIn],
    ["topic", topicsIn],
  ] as const) {
    const has = list(after);
    for (const [name, brings] of list(before)) {
      const its = has.get(name);
      if (!its) broken.push(`the ${kind} ${name}: is gone`);
      else
        for (const one of brings) if (!its.includes(one)) broken.push(`the ${kind} ${name}: has no ${one}`);
    }
  }
  const has = messagesIn(after);
  for (const [name, old] of messagesIn(before)) {
    const next = has.get(name);
    if (!next) {
      if (!hasEnded(old, now)) broken.push(`${name}: is gone`);
      continue;
    }
    const side = "x-result" in old ? "request" : "response";
    schemas.compare(side, old.payload, next.payload, (what) => void broken.push(`${name}: ${what}`));
    schemas.compare("response", old["x-result"], next["x-result"], (what) => {
      broken.push(`${name}, its result: ${what}`);
    });
    for (const scope of scopesOf(next))
      if (!scopesOf(old).includes(scope)) broken.push(`${name}: needs ${scope} now`);
  }
  return broken;
}

const entriesOf = (value: unknown): [string, JsonObject][] =>
  Object.entries(isObject(value) ? value : {}).flatMap(([name, entry]): [string, JsonObject][] =>
    isObject(entry) ? [[name, entry]] : [],
  );

/** The messages of each address. */
const channelsIn = ({ channels }: JsonObject): Map<string, string[]> =>
  new Map(
    entriesOf(channels).map(([, { address, messages }]) => [
      String(address),
      Object.keys(isObject(messages) ? messages : {}),
    ]),
  );

const topicsIn = (document: JsonObject): Map<string, string[]> =>
  new Map(
    entriesOf(document["x-topics"]).map(([name, { messages }]) => [
      name,
      (Array.isArray(messages) ? messages : []).map(String),
    ]),
  );

const messagesIn = (document: JsonObject): Map<string, JsonObject> =>
  new Map(entriesOf(objectAt(document, "components", "the document").messages));

const scopesOf = (message: JsonObject): unknown[] =>
  Array.isArray(message["x-scopes"]) ? message["x-scopes"] : [];
