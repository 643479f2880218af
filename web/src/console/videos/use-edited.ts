import { useState } from "preact/hooks";
import type { Paged } from "../../site/paged.tsx";

type Edited<Item> = {
  /** The list, as this page has changed it. */
  pages: Paged<Item>;
  /** What stands in the form; null for none. */
  edited: Item | null;
  edit(item: Item): void;
  change(item: Item): void;
  drop(id: string): void;
  close(): void;
};

/** A list whose items are edited and deleted on the page that shows it. */
export function useEdited<Item extends { id: string }>(pages: Paged<Item>): Edited<Item> {
  const [edited, setEdited] = useState<Item | null>(null);
  /** By id; null for those that were deleted. */
  const [changes, setChanges] = useState<ReadonlyMap<string, Item | null>>(new Map());
  const note = (id: string, item: Item | null): void =>
    setChanges((before) => new Map([...before, [id, item]]));
  const items = pages.items.flatMap((item) => {
    const changed = changes.get(item.id);
    return changed === null ? [] : [changed ?? item];
  });
  return {
    pages: { ...pages, items },
    edited,
    edit: setEdited,
    change: (item) => note(item.id, item),
    drop: (id) => note(id, null),
    close: () => setEdited(null),
  };
}
