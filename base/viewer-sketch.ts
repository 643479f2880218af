/**
 * Counts distinct viewers in at most four kilobytes: exactly by their hashes while they are few, and with a HyperLogLog
 * after that, with a standard error of 1.6 %. Sketches of several periods can be merged.
 */

/** As many hashes as take the space of the registers. */
const MAX_HASHES = 1_024;
const INDEX_BITS = 12;
const REGISTERS = 1 << INDEX_BITS;
/** Bits of a hash besides the register's index. */
const RANK_BITS = 32 - INDEX_BITS;
const HASH_BYTES = 4;

/** The first byte of a stored sketch. */
const EXACT = 0;
const ESTIMATED = 1;

/** Null: an empty sketch. */
export function openSketch(stored: Uint8Array | null) {
  let hashes: Set<number> | null = new Set();
  let registers = new Uint8Array(0);
  /** `hash` is 32 bits, evenly distributed. */
  function add(hash: number): void {
    hashes?.add(hash >>> 0);
    if (hashes === null) rank(hash);
    else if (hashes.size > MAX_HASHES) estimate(hashes);
  }

  function estimate(exact: ReadonlySet<number>): void {
    hashes = null;
    registers = new Uint8Array(REGISTERS);
    for (const one of exact) rank(one);
  }

  function rank(hash: number): void {
    const index = hash & (REGISTERS - 1);
    const rest = hash >>> INDEX_BITS;
    const rank = rest === 0 ? RANK_BITS + 1 : 32 - Math.clz32(rest & -rest);
    registers[index] = Math.max(registers[index] ?? 0, rank);
  }

  /** Merges another sketch into this one. */
  function unite(bytes: Uint8Array): void {
    if (bytes[0] === EXACT) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let at = 1; at < bytes.length; at += HASH_BYTES) add(view.getUint32(at));
      return;
    }
    if (hashes !== null) estimate(hashes);
    for (let i = 0; i < REGISTERS; i++) registers[i] = Math.max(registers[i] ?? 0, bytes[i + 1] ?? 0);
  }

  if (stored !== null) unite(stored);

  return {
    add,
    unite,
    count: (): number => (hashes === null ? estimateOf(registers) : hashes.size),
    bytes(): Uint8Array {
      if (hashes === null) return Uint8Array.of(ESTIMATED, ...registers);
      const bytes = new Uint8Array(1 + hashes.size * HASH_BYTES);
      const view = new DataView(bytes.buffer);
      let at = 1;
      for (const hash of hashes) {
        view.setUint32(at, hash);
        at += HASH_BYTES;
      }
      return bytes;
    },
  };
}

/**
 * The estimator of O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), algorithm 6: unbiased at
 * every size.
 */
function estimateOf(registers: Uint8Array): number {
  const counts = new Array<number>(RANK_BITS + 2).fill(0);
  for (const rank of registers) counts[rank] = (counts[rank] ?? 0) + 1;
  const share = (rank: number) => (counts[rank] ?? 0) / REGISTERS;
  let z = REGISTERS * tau(1 - share(RANK_BITS + 1));
  for (let rank = RANK_BITS; rank >= 1; rank--) z = 0.5 * (z + (counts[rank] ?? 0));
  z += REGISTERS * sigma(share(0));
  return Math.round(REGISTERS ** 2 / (2 * Math.LN2 * z));
}

function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let [x, y, z] = [share, 1, share];
  for (let before = Number.NaN; before !== z; ) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let [x, y, z] = [share, 1, 1 - share];
  for (let before = Number.NaN; before !== z; ) {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}
