import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Submission, useSubmit } from "../components/use-submit.ts";
import { type Schemas, site } from "../site/page-data.ts";
import { Problem } from "../site/problems.ts";
import { whenUserLeaves } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { addressOfOpened, forgetCheckouts, rememberCheckout } from "./opened-checkouts.ts";

const ID = /^[0-9a-f-]{36}$/;

/** A checkout that was opened here, and from whose page the reader came back: it is in the address's fragment. */
export type Return = {
  id: string;
  /** Where it can be paid, as long as it is open. */
  url: string;
  /** Without paying, as far as the platform knows. */
  hasLeft: boolean;
};

function inAddress(): Return | null {
  const params = new URLSearchParams(location.hash.slice(1));
  const id = params.get("checkout") ?? "";
  const url = ID.test(id) ? addressOfOpened(id) : null;
  return url === null ? null : { id, url, hasLeft: params.has("left") };
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

whenUserLeaves(() => {
  forgetInAddress();
  forgetCheckouts();
  returned.value = null;
  arrivals.value = 0;
  retried.value = null;
});

type Session = Pick<Schemas["CheckoutSession"], "checkout_id" | "checkout_url">;

/** Goes to a checkout's page. */
export function goTo({ checkout_id: id, checkout_url: url }: Session): void {
  if (url === null) throw new Problem(TEXTS.billing.noPage);
  rememberCheckout({ id, url });
  location.assign(url);
}

/** This page, at the address to which checkouts may lead back. */
export const returnAddress = (): string => new URL(site.url).origin + location.pathname + location.search;

/**
 * Opens a checkout and goes to its page in this tab, which no browser blocks, and which leaves one page to come back to on a phone.
 * `onBack`: the reader came back by the browser's own button, to the page as it was.
 */
export function useCheckout(open: (return_to: string) => Promise<Session>, onBack: () => void): Submission {
  useEffect(() => {
    const back = ({ persisted }: PageTransitionEvent) => persisted && onBack();
    addEventListener("pageshow", back);
    return () => removeEventListener("pageshow", back);
  }, []);
  return useSubmit(async () => {
    goTo(await open(returnAddress()));
  });
}
