import type { Input, ItemOf, OperationId, Success } from "@livecore/client";
import { useLayoutEffect, useState } from "preact/hooks";
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
  hasMore: boolean;
  isLoading: boolean;
  problem: string | null;
  more(): void;
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
  const { load, ...next } = useNextPage(key);
  // Another list, or another reader's. Before anything is painted.
  useLayoutEffect(() => setLater([]), [key]);

  const known = first.data === undefined ? [] : [pageOf(first.data), ...later];
  const items = new Map(known.flatMap((page) => page.items.map((item) => [keyOf(item), item] as const)));
  return {
    first,
    items: [...items.values()],
    hasMore: known.at(-1)?.has_more ?? false,
    ...next,
    more() {
      load(
        () => client.call(operation, inputOf(known.length + 1)),
        (page) => setLater((before) => [...before, pageOf(page)]),
      );
    },
  };
}

/** The button for the next page, and why it didn't come. */
export function More({ pages }: { pages: Omit<Paged<unknown>, "items"> }) {
  const { hasMore, isLoading, problem, more } = pages;
  if (!hasMore) return null;
  return (
    <div class="more">
      {problem !== null && <p role="alert">{problem}</p>}
      <button type="button" class="button quiet" aria-busy={isLoading} onClick={more}>
        {isLoading ? TEXTS.loading : TEXTS.more}
      </button>
    </div>
  );
}
