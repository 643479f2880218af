import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Submission, useSubmit } from "../components/use-submit.ts";
import type { Schemas } from "../site/page-data.ts";
import { Problem } from "../site/problems.ts";
import { TEXTS } from "../texts/texts.ts";

const ID = /^[0-9a-f-]{36}$/;

/** A checkout from whose page the reader came back, in the address's fragment. */
export type Return = {
  id: string;
  /** Without paying, as far as the platform knows. */
  hasLeft: boolean;
};

function inAddress(): Return | null {
  const params = new URLSearchParams(location.hash.slice(1));
  const id = params.get("checkout") ?? "";
  return ID.test(id) ? { id, hasLeft: params.has("left") } : null;
}

/** Stays in the address while its outcome isn't known: a reload goes on waiting. */
export const returned = signal(inAddress());
/** Counts the payments that have arrived since the page was opened: what they have changed is read again. */
export const arrivals = signal(0);
/** What should be tried again; the channel's page opens its dialog. */
export const retried = signal<Schemas["Checkout"]["kind"] | null>(null);

export function forgetInAddress(): void {
  if (inAddress()) history.replaceState(history.state, "", location.pathname + location.search);
}

/** Goes to a checkout's page. */
export function goTo({ checkout_url }: { checkout_url: string | null }): void {
  if (checkout_url === null) throw new Problem(TEXTS.billing.noPage);
  location.assign(checkout_url);
}

/**
 * Opens a checkout and goes to its page in this tab, which no browser blocks, and which leaves one page to come back to on a phone.
 * `onBack`: the reader came back by the browser's own button, to the page as it was.
 */
export function useCheckout(
  open: (return_to: string) => Promise<{ checkout_url: string | null }>,
  onBack: () => void,
): Submission {
  useEffect(() => {
    const back = ({ persisted }: PageTransitionEvent) => persisted && onBack();
    addEventListener("pageshow", back);
    return () => removeEventListener("pageshow", back);
  }, []);
  return useSubmit(async () => {
    goTo(await open(location.origin + location.pathname + location.search));
  });
}
