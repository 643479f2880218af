import type { JsonSchema } from "../../contract/openapi-document.ts";

/** In bodies whose schema has no bound: those of other services, whose `data` is open. */
const MOST_OF_OPEN = 2_000;
/** Beyond what a valid body has, so that one item too many is still named by its own rule. */
const SPARE_VALUES = 50;
const MOST_DEPTH = 32;

/**
 * The most values (of objects, lists and scalars, at every depth) that a body may have to be worth validating: twice what
 * the largest valid one has, and some. Validation collects every fault, so its work grows with what was sent.
 */
export function mostValuesOf(schema: JsonSchema, resolve: (ref: string) => JsonSchema): number {
  const valid = valuesIn(schema, resolve, []);
  return Number.isFinite(valid) ? 2 * valid + SPARE_VALUES : MOST_OF_OPEN;
}

/** Counted without recursion, and no further than `most`: the value may be nested as deep as its bytes allow. */
export function hasMoreValues(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (count > most || depth > MOST_DEPTH) return true;
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      const inside: unknown[] = Array.isArray(one) ? one : Object.values(one);
      if (count + next.length + inside.length > most) return true;
      next.push(...inside);
    }
    level = next;
  }
  return false;
}

/** Infinity when there is no bound, as with a schema that contains itself. */
function valuesIn(
  schema: JsonSchema,
  resolve: (ref: string) => JsonSchema,
  inside: readonly string[],
): number {
  const inner = (one: unknown) => (isSchema(one) ? valuesIn(one, resolve, inside) : Infinity);
  const { $ref, items, properties, additionalProperties } = schema;
  if (typeof $ref === "string") {
    if (inside.includes($ref)) return Infinity;
    return valuesIn(resolve($ref), resolve, [...inside, $ref]);
  }
  const choices = ["oneOf", "anyOf", "allOf"].flatMap((keyword) => listOf(schema[keyword])).map(inner);
  const ofItems = items === undefined ? 0 : times(schema.maxItems, inner(items));
  const named = isSchema(properties) ? Object.values(properties).map(inner) : [];
  const isOpen = mayBe(schema, "object") && additionalProperties !== false;
  const others = isOpen ? times(schema.maxProperties, inner(additionalProperties)) : 0;
  return 1 + sum(choices) + ofItems + sum(named) + others;
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const times = (most: unknown, each: number): number => (typeof most === "number" ? most * each : Infinity);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const mayBe = ({ type }: JsonSchema, wanted: string): boolean => [type].flat().includes(wanted);
