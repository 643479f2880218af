import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { deviceName } from "../../../components/device-name.ts";
import { Loaded } from "../../../components/loaded.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatMoment } from "../../../formats/dates.ts";
import { type Schemas, to } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { useRead } from "../../../site/read.ts";
import { client, signOut } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";

type Session = Schemas["Session"];

/** Where the account is signed in; each can be ended, this one by signing out. */
export function Devices() {
  const { security } = TEXTS.settings;
  const sessions = useRead("listSessions", { query: { per_page: 100 } });
  const [endsTokens, setEndsTokens] = useState(false);
  const { route } = useLocation();
  const others = useSubmit(async () => {
    await client.call("endSessions", { query: { tokens: endsTokens } });
    sessions.change((page) => ({ ...page, items: page.items.filter((one) => one.is_current) }));
    say(security.othersEnded);
  });
  const end = async (session: Session): Promise<void> => {
    try {
      if (session.is_current) {
        await signOut();
        return route(to("/"));
      }
      await client.call("endSession", { path: { session_id: session.id } });
      sessions.change((page) => ({ ...page, items: page.items.filter(({ id }) => id !== session.id) }));
      say(security.ended);
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  return (
    <section class="box">
      <h2>{security.devices}</h2>
      <p>{security.devicesHint}</p>
      <Loaded read={sessions}>
        {({ items }) => (
          <>
            <ul class="rows">
              {items.map((session) => (
                <Device key={session.id} session={session} onEnd={end} />
              ))}
            </ul>
            {items.length > 1 && (
              <>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={endsTokens}
                    onChange={({ currentTarget }) => setEndsTokens(currentTarget.checked)}
                  />
                  {security.endTokens}
                </label>
                <Refused refusal={others.refusal} />
                <div class="actions">
                  <button
                    type="button"
                    class="button danger"
                    aria-disabled={others.isBusy}
                    onClick={() => void others.submit()}
                  >
                    {security.endOthers}
                  </button>
                </div>
              </>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Device({ session, onEnd }: { session: Session; onEnd: (session: Session) => Promise<void> }) {
  const { security } = TEXTS.settings;
  const name = deviceName(session.user_agent) ?? security.unknownDevice;
  const place = [session.origin?.city, session.origin?.country].filter(Boolean).join(", ");
  return (
    <li>
      <div class="what">
        <bdi>{name}</bdi>
        <span class="quiet">{[place, session.ip].filter(Boolean).join(" · ")}</span>
        <span class="quiet">
          {`${security.lastSeen(formatMoment(session.last_seen_at))} · ${security.since(formatMoment(session.created_at))}`}
        </span>
        {session.is_current && <span class="here">{security.thisDevice}</span>}
      </div>
      <button
        type="button"
        class="button quiet"
        aria-label={security.endOf(session.is_current ? security.thisDevice : name)}
        onClick={() => void onEnd(session)}
      >
        {security.end}
      </button>
    </li>
  );
}
