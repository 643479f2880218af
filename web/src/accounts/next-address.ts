import { SITE_PATHS } from "../site/navigation.ts";
import { ownPath } from "../site/own-path.ts";
import { serviceUrl, to } from "../site/page-data.ts";

/** Where to go after a sign-in: a page of this site, whatever the address says. */
export function nextAddress(next: string | undefined): string {
  const isHere = next !== undefined && URL.canParse(next, serviceUrl);
  if (!isHere || new URL(next, serviceUrl).origin !== location.origin) return to("/");
  const path = ownPath(next, `${serviceUrl}/`);
  return path !== null && SITE_PATHS.test(path) ? path : to("/");
}
