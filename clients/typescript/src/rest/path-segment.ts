/**
 * Encodes a value as one path segment. Throws a TypeError for an empty value and for dot segments, which would change the
 * operation that the URL names.
 */
export function pathSegment(name: string, value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw new TypeError(`${JSON.stringify(value)} can't be the path parameter ${name}.`);
  }
  return encodeURIComponent(value);
}
