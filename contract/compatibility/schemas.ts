/**
 * Finds breaking changes of a JSON Schema. Requests that were valid must stay valid, and responses must stay as documented.
 * Responses may get new fields, and new values in enumerations: clients ignore what they don't know.
 */
import { isObject, type JsonObject, resolveRef } from "../json.ts";
import { isKeptPattern } from "./pattern-successors.ts";
import { hasEnded } from "./sunset.ts";

export type Side = "request" | "response";
export type Report = (what: string) => void;

/** A larger value accepts less; for `MOST` it is the other way round. */
const LEAST = ["minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"];
const MOST = ["maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"];
/** Keywords that can't be compared: any change may refuse what was valid. */
const OPAQUE = ["not", "if", "then", "else", "propertyNames", "multipleOf", "allOf"];

/** Compares schemas of both documents. `now` is the time by which a sunset has passed, Unix ms. */
export function createSchemaComparison({
  before: earlier,
  after: later,
  now,
}: {
  before: JsonObject;
  after: JsonObject;
  now: number;
}) {
  /** Named schemas that were visited already, since schemas may be recursive. */
  const met = new Set<string>();

  function compare(side: Side, before: unknown, after: unknown, report: Report): void {
    if (before === undefined) return;
    if (after === undefined) {
      report("isn't described any more");
      return;
    }
    const names = `${side} ${refOf(before)} ${refOf(after)}`;
    if (refOf(before) !== null && refOf(after) !== null) {
      if (met.has(names)) return;
      met.add(names);
    }
    const [old, next] = [resolved(earlier, before), resolved(later, after)];
    const [oldOnes, nextOnes] = [alternativesOf(old), alternativesOf(next)];
    if (oldOnes || nextOnes) compareAlternatives(side, oldOnes ?? [before], nextOnes ?? [after], report);
    // When one schema has become several, or several one, the alternatives contain everything.
    if (!oldOnes !== !nextOnes && isPlainChoice(oldOnes ? old : next)) return;
    compareTypes(side, old, next, report);
    compareValues(side, old, next, report);
    if (side === "request") compareRules(old, next, report);
    if (old.format !== next.format && (side === "request" ? next : old).format !== undefined)
      report(`has the format ${String(next.format ?? "of any text")}, not ${String(old.format ?? "any")}`);
    compareProperties(side, old, next, report);
    if (old.items !== undefined) compare(side, old.items, next.items ?? {}, (what) => report(`[]: ${what}`));
  }

  /** Each old alternative must still be one of the new ones. */
  function compareAlternatives(side: Side, before: unknown[], after: unknown[], report: Report): void {
    const [known, others] = side === "request" ? [before, after] : [after, before];
    for (const one of known) {
      const fits = others.some((other) => {
        const pair = side === "request" ? [one, other] : [other, one];
        return refOf(one) !== null && refOf(one) === refOf(other) ? true : isKept(side, pair);
      });
      if (fits) {
        const same = others.find((other) => refOf(one) !== null && refOf(one) === refOf(other));
        if (same !== undefined)
          compare(side, side === "request" ? one : same, side === "request" ? same : one, report);
      } else if (side === "request") report(`doesn't take ${nameOf(one)} any more`);
      else if (!isNewKind(one, before)) report(`may be ${nameOf(one)} now`);
    }
  }

  function isKept(side: Side, [before, after]: unknown[]): boolean {
    let isSame = true;
    const marked = [...met];
    compare(side, before, after, () => {
      isSame = false;
    });
    // Schemas that were visited on trial may be reported later.
    met.clear();
    for (const one of marked) met.add(one);
    return isSame;
  }

  /** Whether it has another value of the discriminator field. */
  function isNewKind(one: unknown, before: unknown[]): boolean {
    const kinds = constantsOf(resolved(later, one));
    return before.some((other) =>
      constantsOf(resolved(earlier, other)).some(([name, value]) =>
        kinds.some(([its, own]) => its === name && own !== value),
      ),
    );
  }

  function compareProperties(side: Side, old: JsonObject, next: JsonObject, report: Report): void {
    const [had, has] = [propertiesOf(old), propertiesOf(next)];
    for (const [name, schema] of Object.entries(had)) {
      if (!Object.hasOwn(has, name)) {
        if (!hasEnded(schema, now)) report(`${name}: is gone`);
        continue;
      }
      compare(side, schema, has[name], (what) => report(`${name}: ${what}`));
    }
    const [needed, needs] = [requiredOf(old), requiredOf(next)];
    if (side === "request") {
      for (const name of needs) if (!needed.includes(name)) report(`${name}: is needed now`);
    } else {
      for (const name of needed)
        if (!needs.includes(name) && Object.hasOwn(has, name) && !isSecret(has[name]))
          report(`${name}: may be absent now`);
    }
    const [others, allows] = [old.additionalProperties ?? true, next.additionalProperties ?? true];
    if (side === "request" && others !== false && allows === false) report("takes no other fields any more");
    if (isObject(others))
      compare(side, others, allows === true ? {} : allows, (what) => report(`*: ${what}`));
  }

  return { compare };
}

/** Resolves a reference, keeping the keywords beside it. */
function resolved(document: JsonObject, schema: unknown): JsonObject {
  if (!isObject(schema)) return {};
  const { $ref, ...own } = schema;
  return typeof $ref === "string" ? { ...resolved(document, resolveRef(document, $ref)), ...own } : own;
}

const refOf = (schema: unknown): string | null =>
  isObject(schema) && typeof schema.$ref === "string" ? schema.$ref : null;
const nameOf = (schema: unknown): string => refOf(schema)?.split("/").at(-1) ?? JSON.stringify(schema);

function alternativesOf({ oneOf, anyOf }: JsonObject): unknown[] | null {
  if (Array.isArray(oneOf)) return oneOf;
  return Array.isArray(anyOf) ? anyOf : null;
}

const isPlainChoice = ({ type, properties }: JsonObject): boolean =>
  type === undefined && properties === undefined;

function constantsOf(schema: JsonObject): [name: string, value: unknown][] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, inner]): [string, unknown][] =>
    isObject(inner) && "const" in inner ? [[name, inner.const]] : [],
  );
}

/** Answers to personal tokens leave it out (`x-secret`); those to sessions keep it. */
const isSecret = (schema: unknown): boolean => isObject(schema) && schema["x-secret"] === true;

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {});
const requiredOf = ({ required }: JsonObject): string[] =>
  Array.isArray(required) ? required.map(String) : [];

function compareTypes(side: Side, old: JsonObject, next: JsonObject, report: Report): void {
  const [had, has] = [typesOf(old), typesOf(next)];
  const [given, allowed] = side === "request" ? [had, has] : [has, had];
  if (allowed === null) return;
  const isAllowed = (type: unknown) =>
    allowed.includes(type) || (type === "integer" && allowed.includes("number"));
  const amiss = given === null ? ["anything"] : given.filter((type) => !isAllowed(type));
  // Alternatives have their own types.
  if (given === null && alternativesOf(side === "request" ? old : next)) return;
  if (amiss.length === 0) return;
  report(side === "request" ? `doesn't take ${amiss.join(", ")} any more` : `may be ${amiss.join(", ")} now`);
}

const typesOf = ({ type }: JsonObject): unknown[] | null => (type === undefined ? null : [type].flat());

function compareValues(side: Side, old: JsonObject, next: JsonObject, report: Report): void {
  const [had, has] = [valuesOf(old), valuesOf(next)];
  if (had === null && has !== null && side === "request") report("takes but certain values now");
  if (had !== null && has === null && side === "response") report("may have any value now");
  if (had === null || has === null) return;
  const gone = had.filter((value) => !has.includes(value));
  if (gone.length > 0) report(`has the value ${gone.join(", ")} no more`);
}

function valuesOf({ enum: values, const: only }: JsonObject): unknown[] | null {
  if (Array.isArray(values)) return values;
  return only === undefined ? null : [only];
}

/** What people are told about a rule isn't part of it. */
const withoutWords = (rule: unknown): string =>
  JSON.stringify(rule, (key, value: unknown) => (key === "x-words" ? undefined : value)) ?? "";

/** Compares keywords that restrict requests. */
function compareRules(old: JsonObject, next: JsonObject, report: Report): void {
  for (const name of LEAST)
    if (Number(next[name] ?? Number.NEGATIVE_INFINITY) > Number(old[name] ?? Number.NEGATIVE_INFINITY))
      report(`${name} is ${String(next[name])}, not ${String(old[name] ?? "any")}`);
  for (const name of MOST)
    if (Number(next[name] ?? Number.POSITIVE_INFINITY) < Number(old[name] ?? Number.POSITIVE_INFINITY))
      report(`${name} is ${String(next[name])}, not ${String(old[name] ?? "any")}`);
  for (const name of OPAQUE)
    if (next[name] !== undefined && withoutWords(next[name]) !== withoutWords(old[name]))
      report(`${name} is another one`);
  if (next.pattern !== undefined && !isKeptPattern(old.pattern, next.pattern))
    report("pattern is another one");
  if (next.uniqueItems === true && old.uniqueItems !== true) report("wants each item once now");
  if (old.default !== undefined && JSON.stringify(next.default) !== JSON.stringify(old.default))
    report(`is ${JSON.stringify(next.default)} when it isn't given, not ${JSON.stringify(old.default)}`);
}
