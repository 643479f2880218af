import { LivecoreError } from "@livecore/client";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { useTitle } from "../../site/navigation.ts";
import { to } from "../../site/page-data.ts";
import { faultOf, faultsIn } from "../../site/problems.ts";
import { loadMe, me } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";

type Props = {
  texts: { title: string; button: string; done: string };
  /** Null: the page needs no token. */
  token: string | null;
  act: () => Promise<unknown>;
  /** What to do where the token was used or has expired. */
  over: string;
  /** Leads to the page that mails another link, where nothing can succeed. */
  offersNewLink?: boolean;
  /** Above the button; with the refusal for its fields, which `fields` names. */
  children?: (refusal: unknown) => ComponentChildren;
  fields?: readonly string[];
};

type End = { text: string; isDone: boolean };

/** One button for what a mail offers. A press that can't succeed takes the form away, and what is left says how to go on. */
export function MailedForm(props: Props) {
  const { texts, token, act, over, offersNewLink = false, children, fields = [] } = props;
  const { mailed } = TEXTS;
  useTitle(texts.title);
  const [end, setEnd] = useState<End | null>(null);
  useEffect(() => setEnd(null), [token]);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    try {
      await act();
      setEnd({ text: texts.done, isDone: true });
      // It may have ended this browser's session, or changed its user.
      if (me.peek()) await loadMe().catch(() => undefined);
    } catch (err) {
      const text = finalText(err, over, fields);
      if (text === null) throw err;
      setEnd({ text, isDone: false });
    }
  });
  const shown = end ?? (token === "" ? { text: mailed.openAgain, isDone: false } : null);
  return (
    <div class="narrow">
      <form class="form" onSubmit={(event) => void submit(event)}>
        <h1>{texts.title}</h1>
        {shown === null && (
          <>
            {children?.(refusal)}
            <Refused refusal={refusal} fields={fields} />
            <button type="submit" class="button wide" aria-disabled={isBusy}>
              {texts.button}
            </button>
          </>
        )}
        <p role="status" class="outcome">
          {shown?.text}
        </p>
        {shown !== null && (
          <ul class="next">
            {!shown.isDone && offersNewLink && (
              <>
                <li>
                  <a href={to("/account/forgot-password")}>{mailed.newLink}</a>
                </li>
                <li>
                  <a href={to("/support")}>{mailed.support}</a>
                </li>
              </>
            )}
            {!me.value && (
              <li>
                <a href={to("/sign-in")}>{mailed.signIn}</a>
              </li>
            )}
            <li>
              <a href={to("/")}>{mailed.front}</a>
            </li>
          </ul>
        )}
      </form>
    </div>
  );
}

/** What to say where no further press can succeed; null for what can be tried again. */
function finalText(err: unknown, over: string, fields: readonly string[]): string | null {
  if (!(err instanceof LivecoreError)) return null;
  if (err.code === "invalid_token") return over;
  if (err.code === "email_taken") return err.message;
  const isOfField = fields.some((field) => faultOf(err, field) !== null);
  return faultsIn(err).length > 0 && !isOfField ? TEXTS.mailed.incomplete : null;
}
