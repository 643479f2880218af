import type { Input, ItemOf, OperationId, Success } from "@livecore/client";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useNextPage } from "./next-page.ts";
import { type Read, useRead } from "./read.ts";
import { client, userId } from "./session.ts";

const PER_PAGE = 30;
/** While the service refuses a read, it is asked again, and its answer has the older ones. */
const MOST_CHANGES = 100;
/** After so many that came while it was shown, a list is read from its first page again, so that one left open doesn't grow without end. */
const MOST_ADDED = 300;

/** Operations whose pages are continued by a cursor. */
type Listing = {
  [Op in OperationId]: Success<Op> extends { items: unknown[]; before_cursor?: string | null } ? Op : never;
}[OperationId];
type Page<Item> = { items: Item[]; before_cursor?: string | null | undefined };

type NewestFirst<Item> = {
  first: Read<unknown>;
  items: readonly Item[];
  hasMore: boolean;
  isLoading: boolean;
  /** Why older ones didn't come; null unless they failed. */
  problem: string | null;
  more(): void;
  /** What an action or an event has changed. */
  change(change: (items: readonly Item[]) => readonly Item[]): void;
};

/**
 * A list whose newest items come first, whose older ones are read by a cursor, and which changes while it is shown. Reading it again
 * (`first.again`, as after a reconnect) keeps the older items that were shown, unless newer ones are missing between.
 */
export function useNewestFirst<Op extends Listing>(
  operation: Op,
  input: Input<Op> | null,
  keyOf: (item: ItemOf<Op>) => string | number,
): NewestFirst<ItemOf<Op>> {
  type Item = ItemOf<Op>;
  const inputOf = (before: string | null): Input<Op> =>
    Object.assign({}, input, {
      query: { ...Object(input?.query), per_page: PER_PAGE, ...(before === null ? {} : { before }) },
    });
  type Change = (items: readonly Item[]) => readonly Item[];
  const read = useRead(operation, input && inputOf(null));
  /** Changes since the first page was requested, which may be older than they are; null when no request is pending. */
  const changesSince = useRef<Change[] | null>([]);
  /** How many came while the list was shown, since its first page was read. */
  const added = useRef(0);
  const first = {
    ...read,
    again(): void {
      changesSince.current = [];
      read.again();
    },
  };
  const [page, setPage] = useState<Page<Item> | null>(null);
  const key = JSON.stringify([operation, input, userId.value]);
  const { load, ...next } = useNextPage(key);
  const shown = useRef({ key, data: first.data as unknown });
  // Another list, another reader's, or a newer first page of this one. Before anything is painted: a list that was read is never shown empty.
  useLayoutEffect(() => {
    const isSame = shown.current.key === key;
    shown.current = { key, data: first.data };
    if (first.data === undefined) {
      changesSince.current = [];
      setPage(null);
      return;
    }
    let { items, before_cursor } = first.data as unknown as Page<Item>;
    for (const change of changesSince.current ?? []) items = distinct([...change(items)], keyOf);
    changesSince.current = null;
    const isTooLong = added.current > MOST_ADDED;
    added.current = 0;
    setPage((before) => {
      const read = { items, before_cursor };
      return before && isSame && !isTooLong ? continued(read, before, keyOf) : read;
    });
  }, [key, first.data]);
  const known = shown.current.key === key ? page : null;
  return {
    first,
    items: known?.items ?? [],
    hasMore: typeof known?.before_cursor === "string",
    ...next,
    more() {
      const before = known?.before_cursor;
      if (typeof before !== "string") return;
      load(
        () => client.call(operation, inputOf(before)),
        (answer) => {
          const { items, before_cursor } = answer as unknown as Page<Item>;
          setPage((now) => ({
            items: distinct([...(now?.items ?? []), ...items], keyOf),
            before_cursor,
          }));
        },
      );
    },
    change(change) {
      if (changesSince.current) changesSince.current = [...changesSince.current, change].slice(-MOST_CHANGES);
      setPage((before) => {
        if (!before) return before;
        const items = distinct([...change(before.items)], keyOf);
        added.current += Math.max(0, items.length - before.items.length);
        return { ...before, items };
      });
      if (added.current > MOST_ADDED && changesSince.current === null) first.again();
    },
  };
}

/** A newer first page, and what is older in the list so far. */
function continued<Item>(
  first: Page<Item>,
  before: Page<Item>,
  keyOf: (item: Item) => string | number,
): Page<Item> {
  const keys = new Set(first.items.map(keyOf));
  const last = before.items.findLastIndex((item) => keys.has(keyOf(item)));
  if (last === -1 || typeof first.before_cursor !== "string") return first;
  return {
    items: distinct([...first.items, ...before.items.slice(last + 1)], keyOf),
    before_cursor: before.before_cursor,
  };
}

/** The first of each. */
const distinct = <Item>(items: readonly Item[], keyOf: (item: Item) => string | number): Item[] => {
  const found = new Map<string | number, Item>();
  for (const item of items) if (!found.has(keyOf(item))) found.set(keyOf(item), item);
  return [...found.values()];
};
