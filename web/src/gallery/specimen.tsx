import type { ComponentChildren } from "preact";

/** The components of one kind. */
export const Shelf = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="shelf">
    <h2>{title}</h2>
    {children}
  </section>
);

/** One component in one state. */
export const Specimen = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <section class="specimen">
    <h3>{name}</h3>
    <div class="shown">{children}</div>
  </section>
);
