import { to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** Instead of what isn't there, and where to go on. */
export function Missing({ title, hint }: { title: string; hint: string }) {
  return (
    <div class="empty">
      <h1>{title}</h1>
      <p>{hint}</p>
      <a class="button" href={to("/")}>
        {TEXTS.notFound.home}
      </a>
    </div>
  );
}
