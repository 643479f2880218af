/**
 * Throws a TypeError when the value wouldn't survive storage unchanged: dates, maps, fractions, NaN, undefined, integers
 * that aren't safe, class instances. Contexts consist of integers, strings, booleans, null, arrays and plain objects.
 */
export function assertJsonSafe(value: unknown, path = "context"): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new TypeError(`${path} is not a safe integer`);
    return;
  }
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) assertJsonSafe(item, `${path}[${i}]`);
    return;
  }
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) {
    throw new TypeError(`${path} is not JSON`);
  }
  for (const [name, item] of Object.entries(value)) assertJsonSafe(item, `${path}.${name}`);
}
