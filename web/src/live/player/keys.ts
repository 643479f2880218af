/** What has its own use of every key, and of those that move or scroll. */
const TYPED_IN = "input, select, textarea, dialog, [contenteditable]";
const MOVED_IN = "[role=log], [role=tablist], [role=dialog], [role=listbox]";
const PRESSED = "button, a, summary";

/** Whether a key is for the player, and not for where it was pressed. */
export function acceptsKey({ key, target, repeat, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  const isArrow = key.startsWith("Arrow");
  // A key held down would toggle repeatedly.
  if (repeat && !isArrow) return false;
  if (!(target instanceof Element)) return true;
  if (target.closest(TYPED_IN)) return false;
  if (target.closest(MOVED_IN)) return !isArrow && key !== " ";
  return !(key === " " && target.closest(PRESSED));
}
