import { useTitle } from "../site/navigation.ts";
import { TEXTS } from "../texts/texts.ts";
import { Missing } from "./missing.tsx";

/** An address that leads nowhere. */
export function NotFound() {
  const { title, hint } = TEXTS.notFound;
  useTitle(title);
  return <Missing title={title} hint={hint} />;
}
