import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { useKeptFocus } from "./kept-focus.ts";
import "./panel.css";

type Props = {
  title: string;
  /** A further class, for its looks. */
  kind?: string;
  /** Beside the heading. */
  aside?: ComponentChildren;
  children: ComponentChildren;
};

/** One tool or figure of a page of the console. */
export function Panel({ title, kind = "", aside, children }: Props) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  useKeptFocus(section);
  return (
    <section ref={section} class={`panel ${kind}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
