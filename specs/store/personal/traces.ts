import type { Db } from "mongodb";
import { COLLECTIONS } from "../../../store/mongo/generated/collections.ts";

/** The position of a text: the collection and the path, without list indexes. */
type Trace = { collection: string; path: string; text: string };

/** All positions in all collections with one of the texts, in a value or in a field name, each once. */
export async function tracesOf(db: Db, texts: readonly string[]): Promise<Trace[]> {
  const found = new Map<string, Trace>();
  for (const { name: collection } of COLLECTIONS) {
    for await (const doc of db.collection(collection).find()) {
      walk(doc, "", (value, path) => {
        const text = texts.find((one) => value.includes(one));
        if (text !== undefined) found.set(`${collection} ${path} ${text}`, { collection, path, text });
      });
    }
  }
  return [...found.values()];
}

/** Traces in fields without a declared rule. */
export function undeclared(traces: readonly Trace[]): string[] {
  return distinct(traces.filter((trace) => ruleOf(trace) === undefined));
}

/** Traces that no collection declares as kept. */
export function unkept(traces: readonly Trace[]): string[] {
  return distinct(
    traces.filter((trace) => {
      const rule = ruleOf(trace);
      return typeof rule !== "object" || !("keep" in rule);
    }),
  );
}

const distinct = (traces: readonly Trace[]) => [
  ...new Set(traces.map(({ collection, path }) => `${collection}: ${path}`)),
];

function ruleOf({ collection, path }: Trace) {
  const personal = COLLECTIONS.find(({ name }) => name === collection)?.personal;
  if (personal === undefined || personal === "none") return undefined;
  return Object.entries(personal.erase).find(
    ([field]) => path === field || path.startsWith(`${field}.`),
  )?.[1];
}

function walk(value: unknown, path: string, visit: (text: string, path: string) => void): void {
  if (typeof value === "string") visit(value, path);
  else if (Array.isArray(value)) for (const item of value) walk(item, path, visit);
  else if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    for (const [name, inner] of Object.entries(value)) {
      visit(name, path);
      walk(inner, path === "" ? name : `${path}.${name}`, visit);
    }
  }
}
