/** As the contract has it. */
const LONGEST = 64;

/** A category's slug where staff choose none; "" where its name has nothing to make one of. One character may become many. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{Mark}/gu, "");
  return plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, LONGEST)
    .replace(/-$/, "");
}
