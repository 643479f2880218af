import type { Input, ItemOf, OperationId, Success } from "@livecore/client";
import { useLayoutEffect, useState } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";
import { useNextPage } from "./next-page.ts";
import { type Read, useRead } from "./read.ts";
import { client, userId } from "./session.ts";

const PER_PAGE = 24;

/** Operations that answer with pages of a list. */
type Listing = {
  [Op in OperationId]: Success<Op> extends { items: unknown[]; has_more: boolean; page: number } ? Op : never;
}[OperationId];
type Page<Item> = { items: Item[]; has_more: boolean };

export type Paged<Item> = {
  first: Read<unknown>;
  items: readonly Item[];
  hasMore: boolean;
  isLoading: boolean;
  problem: string | null;
  more(): void;
};

/** A list that grows by a page at a time, at the reader's wish. What comes twice, since the list moved, is shown once. */
export function usePaged<Op extends Listing>(
  operation: Op,
  input: Input<Op>,
  {
    keyOf = ({ id }) => id,
    ...options
  }: {
    isForAll?: boolean;
    /** Of items without an id. */
    keyOf?: (item: ItemOf<Op> & { id: string | number }) => string | number;
  } = {},
): Paged<ItemOf<Op> & { id: string | number }> {
  type Item = ItemOf<Op> & { id: string | number };
  const inputOf = (page: number): Input<Op> =>
    Object.assign({}, input, { query: { ...Object(input.query), page, per_page: PER_PAGE } });
  const first = useRead(operation, inputOf(1), options);
  const [later, setLater] = useState<Page<Item>[]>([]);
  const key = JSON.stringify([operation, input, userId.value]);
  const { load, ...next } = useNextPage(key);
  // Another list, or another reader's. Before anything is painted.
  useLayoutEffect(() => setLater([]), [key]);

  const known = first.data === undefined ? [] : [first.data as unknown as Page<Item>, ...later];
  const items = new Map(known.flatMap((page) => page.items.map((item) => [keyOf(item), item] as const)));
  return {
    first,
    items: [...items.values()],
    hasMore: known.at(-1)?.has_more ?? false,
    ...next,
    more() {
      load(
        () => client.call(operation, inputOf(known.length + 1) as never),
        (page) => setLater((before) => [...before, page as unknown as Page<Item>]),
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
