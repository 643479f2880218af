/** A value of a MaxMind database. */
type Value = string | number | Value[] | { [key: string]: Value };

/** Database entries by network, such as `10.1.2.0/24`. */
type Networks = Readonly<Record<`${string}/${number}`, Value>>;

/** Builds a small database of IPv4 networks in MaxMind's format, version 2. */
export function mmdbOf(networks: Networks): Buffer {
  const data: Buffer[] = [];
  let size = 0;
  const nodes: [left: Target, right: Target][] = [[null, null]];

  for (const [network, value] of Object.entries(networks)) {
    const [address = "", length = "32"] = network.split("/");
    const bits = address
      .split(".")
      .flatMap((byte) => [...Number(byte).toString(2).padStart(8, "0")].map(Number))
      .slice(0, Number(length));
    const offset = size;
    const encoded = encode(value);
    data.push(encoded);
    size += encoded.length;
    let at = 0;
    for (const [index, bit] of bits.entries()) {
      const node = nodes[at];
      if (!node) throw new Error("a node that there isn't");
      const side = bit === 0 ? 0 : 1;
      if (index === bits.length - 1) node[side] = { offset };
      else {
        const next = node[side];
        at = typeof next === "number" ? next : nodes.push([null, null]) - 1;
        node[side] = at;
      }
    }
  }

  const recordOf = (target: Target): number =>
    target === null
      ? nodes.length
      : typeof target === "number"
        ? target
        : nodes.length + SEPARATOR.length + target.offset;
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, [left, right]] of nodes.entries()) {
    tree.writeUIntBE(recordOf(left), index * 6, 3);
    tree.writeUIntBE(recordOf(right), index * 6 + 3, 3);
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: "Specs-City",
    description: { en: "of specs" },
    languages: ["en"],
    ip_version: 4,
    node_count: nodes.length,
    record_size: 24,
  });
  return Buffer.concat([tree, SEPARATOR, ...data, MARKER, metadata]);
}

type Target = null | number | { offset: number };

const SEPARATOR = Buffer.alloc(16);
const MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
const [STRING, UINT32, MAP, ARRAY] = [2, 6, 7, 11];

function encode(value: Value): Buffer {
  if (typeof value === "string") return headed(STRING, Buffer.byteLength(value), Buffer.from(value));
  if (typeof value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return headed(UINT32, 4, bytes);
  }
  if (Array.isArray(value)) return headed(ARRAY, value.length, ...value.map(encode));
  const entries = Object.entries(value);
  return headed(MAP, entries.length, ...entries.flatMap(([key, part]) => [encode(key), encode(part)]));
}

function headed(type: number, size: number, ...body: Buffer[]): Buffer {
  if (size > 28) throw new Error("the specs have short values alone");
  const head = type > 7 ? [size, type - 7] : [(type << 5) | size];
  return Buffer.concat([Buffer.from(head), ...body]);
}
