/** The limit in the API contract. */
const LONGEST = 64;

/** The default slug of a category; "" when its name has no usable characters. NFKD may expand one character to many. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{Mark}/gu, "");
  return plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, LONGEST)
    .replace(/-$/, "");
}
