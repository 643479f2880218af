/** A category's slug where staff choose none; "" where its name has nothing to make one of. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{Mark}/gu, "");
  return plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}
