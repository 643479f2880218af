import { SITE_PATHS } from "../site/navigation.ts";
import { to } from "../site/page-data.ts";

/** Where to go after a sign-in: a page of this site, whatever the address says. */
export function nextAddress(next: string | undefined): string {
  if (next === undefined) return to("/");
  const address = URL.canParse(next, location.origin) ? new URL(next, location.origin) : null;
  // A path that begins with two slashes would name another host.
  const isOwn =
    address?.origin === location.origin &&
    !address.pathname.startsWith("//") &&
    SITE_PATHS.test(address.pathname);
  return isOwn ? address.pathname + address.search : to("/");
}
