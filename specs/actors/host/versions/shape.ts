/**
 * The shape of JSON values: names of primitive types, objects by field, arrays by item; alternatives as `oneOf`. A field that
 * only some of the objects have ends in "?".
 */
export type Shape = string | { [field: string]: Shape | Shape[] };

export function shapeOf(values: unknown[]): Shape {
  const lists = values.filter((value): value is unknown[] => Array.isArray(value));
  const objects = values.filter(isObject);
  const others = values.filter((value) => !Array.isArray(value) && !isObject(value));
  const kinds: Shape[] = [...new Set(others.map(nameOf))].sort();
  if (lists.length > 0) kinds.push({ each: shapeOf(lists.flat()) });
  if (objects.length > 0) kinds.push(fieldsOf(objects));
  const [only] = kinds;
  return kinds.length === 1 && only !== undefined ? only : { oneOf: kinds };
}

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const nameOf = (value: unknown) => (value === null ? "null" : typeof value);

function fieldsOf(objects: JsonObject[]): Shape {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const having = objects.filter((one) => Object.hasOwn(one, name));
      return [having.length < objects.length ? `${name}?` : name, shapeOf(having.map((one) => one[name]))];
    }),
  );
}
