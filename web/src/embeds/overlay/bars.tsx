import type { ComponentChildren } from "preact";

type Bar = {
  id: string;
  title: string;
  percent: number;
  color: string;
  isWinner: boolean;
  facts: string;
};
type Props = { label: string; title: string; state: ComponentChildren; bars: readonly Bar[] };

/** A question with a bar for each answer. */
export const Bars = ({ label, title, state, bars }: Props) => (
  <section class="panel question" aria-label={label}>
    <p class="state">
      <span>{label}</span> <span>{state}</span>
    </p>
    <h1 dir="auto">{title}</h1>
    <ul>
      {bars.map(({ id, title, percent, color, isWinner, facts }) => (
        <li key={id} data-winner={isWinner} style={{ "--of": color, "--share": `${percent}%` }}>
          <span class="name" dir="auto">
            {title}
          </span>
          <span class="facts">{facts}</span>
          <span class="bar" aria-hidden="true" />
        </li>
      ))}
    </ul>
  </section>
);
