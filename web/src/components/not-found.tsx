import { useTitle } from "../site/navigation.ts";
import { to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** An address that leads nowhere. */
export function NotFound() {
  const { title, hint, home } = TEXTS.notFound;
  useTitle(title);
  return (
    <div class="empty">
      <h1>{title}</h1>
      <p>{hint}</p>
      <a class="button" href={to("/")}>
        {home}
      </a>
    </div>
  );
}
