import { type Schemas, to } from "../../site/page-data.ts";
import { TEXTS } from "../../texts/texts.ts";

type Page = Schemas["Instance"]["pages"][number];
const AGREED = ["rules", "terms", "privacy"] as const satisfies readonly Page[];

/** What one agrees to; nothing where the operator has written none of it. */
export function Agreement({ pages }: { pages: readonly Page[] }) {
  const { accounts } = TEXTS;
  const shown = AGREED.filter((page) => pages.includes(page));
  if (shown.length === 0) return null;
  return (
    <div class="agreement">
      <p>{accounts.agree}</p>
      <ul>
        {shown.map((page) => (
          <li key={page}>
            <a href={to(`/about/${page}`)} target="_blank" rel="noopener">
              {accounts.agreed[page]}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
