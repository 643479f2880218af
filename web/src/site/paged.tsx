import type { Input, ItemOf, OperationId, Success } from "@livecore/client";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";
import { useNextPage } from "./next-page.ts";
import { type Read, useRead } from "./read.ts";
import { client, userId } from "./session.ts";

const PER_PAGE = 24;

type Key = string | number;
/** Operations that answer with pages of a list. */
type Listing = {
  [Op in OperationId]: Success<Op> extends { items: unknown[]; has_more: boolean; page: number } ? Op : never;
}[OperationId];
/** Those whose items have an id. */
type ListingById = { [Op in Listing]: ItemOf<Op> extends { id: Key } ? Op : never }[Listing];
type Page<Item> = { items: Item[]; has_more: boolean };
type Options = { isForAll?: boolean };

export type Paged<Item> = {
  first: Read<unknown>;
  items: readonly Item[];
  /** Whether `more` has something to read: the next page, or those again that couldn't be read again. */
  hasMore: boolean;
  isLoading: boolean;
  problem: string | null;
  more(): void;
  /** Reads every page again that the reader has asked for: what changed, moved or left may be on any of them. */
  again(): void;
};

/** A list that grows by a page at a time, at the reader's wish. What comes twice, since the list moved, is shown once. */
export function usePaged<Op extends ListingById>(operation: Op, input: Input<Op>, options: Options = {}) {
  return usePages<Op, Extract<ItemOf<Op>, { id: Key }>>(operation, input, ({ id }) => id, options);
}

/** As `usePaged`, for items without an id. */
export function usePagedBy<Op extends Listing>(
  operation: Op,
  input: Input<Op>,
  keyOf: (item: ItemOf<Op>) => Key,
  options: Options = {},
) {
  return usePages<Op, ItemOf<Op>>(operation, input, keyOf, options);
}

function usePages<Op extends Listing, Item extends ItemOf<Op>>(
  operation: Op,
  input: Input<Op>,
  keyOf: (item: Item) => Key,
  options: Options,
): Paged<Item> {
  // `Listing` says so; where the operation is a parameter, the compiler can't follow.
  const pageOf = (answer: Success<Op>) => answer as unknown as Page<Item>;
  const inputOf = (page: number): Input<Op> =>
    Object.assign({}, input, { query: { ...Object(input.query), page, per_page: PER_PAGE } });
  const first = useRead(operation, inputOf(1), options);
  const [later, setLater] = useState<Page<Item>[]>([]);
  const key = JSON.stringify([operation, input, userId.value]);
  const { load, reload, ...next } = useNextPage(key);
  /** Whether further pages couldn't be read again: what is shown of them is old. */
  const [isStale, setStale] = useState(false);
  /** How many pages the reader has asked for. */
  const wanted = useRef(1);
  // Another list, or another reader's. Before anything is painted.
  useLayoutEffect(() => {
    wanted.current = 1;
    setLater([]);
    setStale(false);
  }, [key]);
  const read = async (page: number) => pageOf(await client.call(operation, inputOf(page)));

  const known = first.data === undefined ? [] : [pageOf(first.data), ...later];
  const items = new Map<Key, Item>();
  // Of what is on two pages, since the list moved, the earlier one has the newer copy.
  for (const item of known.flatMap((page) => page.items)) {
    if (!items.has(keyOf(item))) items.set(keyOf(item), item);
  }
  const again = (): void => {
    first.again();
    if (wanted.current === 1) return;
    const pages = Array.from({ length: wanted.current - 1 }, (_, index) => read(index + 2));
    reload(
      () => Promise.all(pages),
      (read) => {
        setLater(read);
        setStale(false);
      },
      () => setStale(true),
    );
  };
  return {
    first,
    items: [...items.values()],
    hasMore: isStale || (known.at(-1)?.has_more ?? false),
    ...next,
    more() {
      if (next.isLoading) return;
      if (isStale) return again();
      load(
        () => {
          wanted.current = known.length + 1;
          return read(wanted.current);
        },
        (page) => setLater((before) => [...before, page]),
      );
    },
    again,
  };
}

/** The button for the next page, and why it didn't come. */
export function More({ pages }: { pages: Omit<Paged<unknown>, "items" | "again"> }) {
  const { hasMore, isLoading, problem, more } = pages;
  if (!hasMore) return null;
  return (
    <div class="more">
      {problem !== null && <p role="alert">{problem}</p>}
      <button type="button" class="button quiet" aria-busy={isLoading} onClick={more}>
        {isLoading ? TEXTS.loading : problem === null ? TEXTS.more : TEXTS.tryAgain}
      </button>
    </div>
  );
}
