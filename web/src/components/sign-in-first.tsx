import type { ComponentChildren } from "preact";
import { to } from "../site/page-data.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

type Props = {
  /** Of the page. */
  title: string;
  why: string;
  children: ComponentChildren;
};

/** A page of the account: strangers get the way to sign in, which leads back. */
export function SignInFirst({ title, why, children }: Props) {
  const user = me.value;
  if (user) return <>{children}</>;
  if (user === undefined) return <p class="note">{TEXTS.loading}</p>;
  return (
    <div class="empty">
      <h1>{title}</h1>
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
