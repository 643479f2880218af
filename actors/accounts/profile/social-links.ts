import { invalid } from "../../../contract/errors.ts";
import type { SocialLinksDoc } from "../../../store/mongo/accounts/users.ts";

/**
 * Throws validation_failed for URLs that browsers can't open, such as invalid numeric hosts or ports. The pattern in the
 * OpenAPI document checks the rest of their form.
 */
export function requireUsable(links: SocialLinksDoc): void {
  const errors = Object.entries(links)
    .filter(([, link]) => /^https?:/i.test(link) && !URL.canParse(link))
    .map(([network]) => ({
      path: `/body/social_links/${network}`,
      rule: "format",
      message: "is no address that a browser can open",
    }));
  if (errors.length > 0) throw invalid(...errors);
}
