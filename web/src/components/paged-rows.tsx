import type { ComponentChildren } from "preact";
import { More, type Paged } from "../site/paged.tsx";
import { Loaded } from "./loaded.tsx";

type Props<Item> = {
  pages: Omit<Paged<Item>, "again">;
  /** Instead of no rows. */
  empty: string;
  /** Whether rows change while they are shown, which screen readers are told. */
  isLive?: boolean;
  /** A row, with its key. */
  children: (item: Item) => ComponentChildren;
};

/** The rows of a list that is read by pages, and the button for the next one. */
export function PagedRows<Item>({ pages, empty, isLive = false, children }: Props<Item>) {
  const { first, items } = pages;
  return (
    <>
      <Loaded read={first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{empty}</p>
          ) : (
            <ul class="rows" aria-live={isLive ? "polite" : undefined}>
              {items.map(children)}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </>
  );
}
