import { invalid } from "../../../contract/errors.ts";

/** Maximum of pages that may frame one embed; each is in its URL. */
const MAX_PARENTS = 10;
const HOST =
  /^(?=.{1,253}(?::|$))[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::[0-9]{1,5})?$/i;

/**
 * The sources of `frame-ancestors` of an embed's URL: the service's own pages, and each `parent`, the host of a page with its
 * port unless that is the default. Throws `validation_failed` for anything else, since the value goes into a
 * header.
 */
export function frameAncestors(address: string): string {
  const parents = new URL(address, "http://embed.invalid").searchParams.getAll("parent");
  if (parents.length > MAX_PARENTS)
    throw invalid(fault("maxItems", `at most ${MAX_PARENTS} pages may show one embed`));
  for (const parent of parents) {
    if (!HOST.test(parent)) {
      throw invalid(fault("pattern", "is the host of the page that shows it, such as example.org"));
    }
  }
  return ["'self'", ...new Set(parents.map((parent) => parent.toLowerCase()))].join(" ");
}

const fault = (rule: string, message: string) => ({ path: "/query/parent", rule, message });
