import type { ComponentChildren } from "preact";
import "./notice-bar.css";

/** What happens on this page now, with what the reader can do about it. */
export function NoticeBar({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <section class="notice-bar" aria-label={label}>
      {children}
    </section>
  );
}
