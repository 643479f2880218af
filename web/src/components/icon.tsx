import type { IconNode } from "lucide";
import { h } from "preact";

/** An icon of the set, beside a text or in a button that says what it does. */
export function Icon({ of }: { of: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([name, attributes], index) => h(name, { key: index, ...attributes }))}
    </svg>
  );
}
