import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Loaded } from "../../components/loaded.tsx";
import { useTitle } from "../../site/navigation.ts";
import { to } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { becameUser, type Me, me } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { nextAddress } from "../next-address.ts";
import { Providers } from "../sign-in/providers.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

/** A new account, which is signed in at once. */
export function SignUp() {
  const { accounts, frame } = TEXTS;
  useTitle(accounts.signUpTitle);
  const instance = useRead("getInstance", {}, { isForAll: true });
  const { route, query } = useLocation();
  const [invitation] = useState(() => inFragment("invitation") ?? query.invitation ?? "");
  const isNew = useRef(false);
  const isDone = Boolean(me.value);
  useEffect(() => {
    if (!isDone) return;
    const next = nextAddress(query.next);
    route(isNew.current ? `${to("/sign-up/verify")}?next=${encodeURIComponent(next)}` : next, true);
  }, [isDone]);
  const welcome = (user: Me, username: string): void => {
    isNew.current = true;
    say(accounts.welcome(username));
    becameUser(user);
  };
  return (
    <div class="narrow sign-up">
      <h1>{accounts.signUpTitle}</h1>
      <Loaded read={instance}>
        {(one) =>
          one.sign_up === "closed" ? (
            <p>{accounts.closed}</p>
          ) : (
            <>
              <SignUpForm instance={one} invitation={invitation} onDone={welcome} />
              <Providers next={query.next} />
            </>
          )
        }
      </Loaded>
      <p>
        {accounts.haveAccount}{" "}
        <a href={to(query.next ? `/sign-in?next=${encodeURIComponent(query.next)}` : "/sign-in")}>
          {frame.signIn}
        </a>
      </p>
    </div>
  );
}

/** Servers don't get it, nor does what logs their addresses. */
const inFragment = (name: string): string | null => new URLSearchParams(location.hash.slice(1)).get(name);
