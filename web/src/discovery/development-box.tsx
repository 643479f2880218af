import { site, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** What a developer wants who runs the service; nothing in production. */
export function DevelopmentBox() {
  const { development } = site;
  const { home } = TEXTS;
  if (!development) return null;
  const { mailbox_url: mailbox, evening } = development;
  return (
    <section class="box" aria-labelledby="development">
      <h2 id="development">{home.development}</h2>
      {evening && <Evening {...evening} />}
      {mailbox !== null && (
        <p>
          <a href={mailbox}>{home.mails}</a>
        </p>
      )}
    </section>
  );
}

type Props = NonNullable<NonNullable<typeof site.development>["evening"]>;

function Evening({ status, username }: Props) {
  const { home } = TEXTS;
  if (status === "live" && username !== undefined) {
    return (
      <p>
        {home.eveningLive} <a href={to(username)}>{home.watch(username)}</a>
      </p>
    );
  }
  if (status === "starting") {
    return (
      <p>
        <a href={to("/demo")}>{home.eveningStarting}</a>
      </p>
    );
  }
  return (
    <form method="post" action={to("/demo")}>
      <p role={status === "failed" ? "alert" : undefined}>
        {status === "failed" ? home.eveningFailed : home.eveningOff}
      </p>
      <button type="submit" class="button">
        {home.eveningStart}
      </button>
    </form>
  );
}
