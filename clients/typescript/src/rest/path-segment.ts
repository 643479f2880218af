/**
 * Writes a value as one segment of a path. Throws where it wouldn't stay one: an empty segment and those of dots change
 * which operation the address names.
 */
export function pathSegment(name: string, value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw new TypeError(`${JSON.stringify(value)} can't be the path parameter ${name}.`);
  }
  return encodeURIComponent(value);
}
