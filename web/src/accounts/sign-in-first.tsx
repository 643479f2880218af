import type { ComponentChildren } from "preact";
import { to } from "../site/page-data.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

/** What only somebody who is signed in can see; others get the way to sign in, which leads back. */
export function SignInFirst({ why, children }: { why: string; children: ComponentChildren }) {
  const user = me.value;
  if (user) return <>{children}</>;
  if (user === undefined) return <p class="note">{TEXTS.loading}</p>;
  return (
    <div class="empty">
      <p>{why}</p>
      <a class="button" href={signInAddress()}>
        {TEXTS.frame.signIn}
      </a>
    </div>
  );
}

/** Where one signs in, and comes back to this page. */
export const signInAddress = (path = "/sign-in"): string =>
  `${to(path)}?next=${encodeURIComponent(location.pathname + location.search)}`;
