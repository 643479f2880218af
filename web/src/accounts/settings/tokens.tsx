import type { Success } from "@livecore/client";
import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { SettingsPage } from "../../components/settings-page.tsx";
import { formatDate } from "../../formats/dates.ts";
import type { Schemas } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { withStepUp } from "../step-up/step-up.ts";
import { CreatedToken } from "./tokens/created-token.tsx";
import { NewToken } from "./tokens/new-token.tsx";

type Token = Schemas["APIToken"];

/** Personal tokens for the user's own programs. */
export const TokenSettings = () => <SettingsPage section="tokens">{() => <Tokens />}</SettingsPage>;

function Tokens() {
  const { tokens } = TEXTS.settings;
  const list = useRead("listApiTokens", { query: { per_page: 100 } });
  const [isMaking, setMaking] = useState(false);
  const [created, setCreated] = useState<Success<"createApiToken"> | null>(null);
  const remove = async ({ id }: Token): Promise<void> => {
    try {
      await withStepUp(() => client.call("deleteApiToken", { path: { token_id: id } }));
      list.change((page) => ({ ...page, items: page.items.filter((one) => one.id !== id) }));
      say(tokens.deleted);
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  const show = (token: Success<"createApiToken">): void => {
    setMaking(false);
    setCreated(token);
    list.again();
  };
  return (
    <section class="box">
      <p>{tokens.hint}</p>
      <div class="actions">
        <button type="button" class="button" onClick={() => setMaking(true)}>
          {tokens.create}
        </button>
      </div>
      <Loaded read={list}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="quiet">{tokens.none}</p>
          ) : (
            <ul class="rows">
              {items.map((token) => (
                <Row key={token.id} token={token} onDelete={remove} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isMaking && <NewToken onCreated={show} onClose={() => setMaking(false)} />}
      {created && <CreatedToken token={created.token} onClose={() => setCreated(null)} />}
    </section>
  );
}

function Row({ token, onDelete }: { token: Token; onDelete: (token: Token) => Promise<void> }) {
  const { tokens } = TEXTS.settings;
  const { name, prefix, scopes, expires_at: end, last_used_at: used, site } = token;
  const label = site === undefined ? name : tokens.site(site);
  const facts = [
    tokens.begins(prefix),
    end === null ? tokens.endless : tokens.ends(formatDate(end)),
    used === undefined ? tokens.unused : tokens.used(formatDate(used)),
  ];
  return (
    <li>
      <div class="what">
        <bdi>{label}</bdi>
        <span class="quiet">{facts.join(" · ")}</span>
        <span class="quiet">{scopes.map((scope) => tokens.scopeNames[scope]).join(" · ")}</span>
      </div>
      <button
        type="button"
        class="button quiet"
        aria-label={tokens.deleteOf(label)}
        onClick={() => void onDelete(token)}
      >
        {tokens.delete}
      </button>
    </li>
  );
}
