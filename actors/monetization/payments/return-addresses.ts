/** Where payers come back to from the payment platform's page. */
import { invalid } from "../../../contract/errors.ts";
import type { CheckoutOrder } from "./platform.ts";

/** Throws `validation_failed` for an address that is below none of `bases`: a checkout must not lead to strangers' pages. */
export function requireReturnAddress(wanted: string, bases: readonly string[]): string {
  const address = URL.canParse(wanted) ? new URL(wanted) : null;
  if (!address || !isPlain(address) || !bases.some((base) => isBelow(address, new URL(base))))
    throw invalid({
      path: "/body/return_to",
      rule: "listed",
      message: "is none of the addresses that payers may return to",
    });
  // Ours says what they come back from.
  address.hash = "";
  return address.href;
}

function isBelow(address: URL, { origin, pathname }: URL): boolean {
  const below = pathname.endsWith("/") ? pathname : `${pathname}/`;
  return address.origin === origin && `${address.pathname}/`.startsWith(below);
}

/** Without a user, whom people take for the host, and without two slashes, which name a host where only the path is taken. */
const isPlain = ({ username, password, pathname }: URL): boolean =>
  username === "" && password === "" && !pathname.includes("//");

/** The address with the checkout in its fragment, which servers don't get; null where the order names none. */
export function returnAddressOf(
  { checkoutId, returnTo }: Pick<CheckoutOrder, "checkoutId" | "returnTo">,
  how: "paid" | "left",
): string | null {
  if (returnTo === undefined) return null;
  return `${returnTo}#checkout=${checkoutId}${how === "left" ? "&left=1" : ""}`;
}
