import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** More than wait in a room at once; a desk is open for hours. */
const MOST_KNOWN = 1_000;

type Arrivals<Item> = {
  /** What came by the socket, oldest first; the read list may have it too. */
  all: ReadonlyMap<string, Item>;
  add(item: Item): void;
  /** The socket may have missed something: the next answer says what is left. */
  outdate(): void;
};

/** Rows that came since a list was read. After a lost connection they stay until the next `answer` is there: one of them may have the focus. */
export function useArrivals<Item extends { id: string }>(answer: unknown): Arrivals<Item> {
  const [all, setAll] = useState<ReadonlyMap<string, Item>>(new Map());
  const latest = useRef(all);
  latest.current = all;
  const outdated = useRef<readonly string[]>([]);
  useLayoutEffect(() => {
    const gone = new Set(outdated.current);
    outdated.current = [];
    if (gone.size > 0) setAll((before) => new Map([...before].filter(([id]) => !gone.has(id))));
  }, [answer]);
  return {
    all,
    add: (item) => setAll((before) => newest(new Map(before).set(item.id, item))),
    outdate() {
      outdated.current = [...latest.current.keys()];
    },
  };
}

/** With those of `kept` that are missing, as where a list was read again, in their places. `missing`: what is known of such a one. */
export function withKept<Row extends { id: string }>(
  rows: readonly Row[],
  kept: readonly Row[],
  { missing, timeOf }: { missing(row: Row): Row; timeOf(row: Row): number },
): readonly Row[] {
  const ids = new Set(rows.map(({ id }) => id));
  const added = kept.filter(({ id }) => !ids.has(id)).map(missing);
  return added.length === 0 ? rows : [...rows, ...added].toSorted((a, b) => timeOf(a) - timeOf(b));
}

export const newest = <Value>(all: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
  all.size > MOST_KNOWN ? new Map([...all].slice(-MOST_KNOWN)) : all;
