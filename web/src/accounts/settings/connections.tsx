import { LivecoreError } from "@livecore/client";
import { useEffect, useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { SettingsPage } from "../../components/settings-page.tsx";
import { formatDate } from "../../formats/dates.ts";
import { publicAddress } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { providerProblem, rememberDeparture, takeLinkResult } from "../sign-in/provider-return.ts";
import { withStepUp } from "../step-up/step-up.ts";

const ALL = { query: { per_page: 100 } };

/** The providers with which one can log in. */
export const ConnectionSettings = () => (
  <SettingsPage section="connections">{() => <Providers />}</SettingsPage>
);

function Providers() {
  const { connections } = TEXTS.settings;
  const providers = useRead("listOauthProviders", ALL);
  const links = useRead("listLinkedProviders", ALL);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const result = takeLinkResult();
    if (result?.kind === "linked") say(connections.linked);
    if (result?.kind === "refused") setProblem(providerProblem(result.code));
  }, []);

  const connect = async (provider: string): Promise<void> => {
    setProblem(null);
    const body = { return_to: publicAddress("/settings/connections") };
    try {
      const started = await withStepUp(() => client.call("startOauthLink", { path: { provider }, body }));
      rememberDeparture("connections", { provider, next: undefined });
      location.assign(started.authorization_url);
    } catch (err) {
      setProblem(problemOf(err));
    }
  };
  const disconnect = async (provider: string): Promise<void> => {
    setProblem(null);
    try {
      await withStepUp(() => client.call("unlinkProvider", { path: { provider } }));
      links.change((page) => ({ ...page, items: page.items.filter((one) => one.provider !== provider) }));
      say(connections.unlinked);
    } catch (err) {
      // Gone already, as by another tab.
      if (err instanceof LivecoreError && err.code === "not_found") links.again();
      setProblem(problemOf(err));
    }
  };
  return (
    <section class="box">
      <p>{connections.hint}</p>
      {problem !== null && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
      <Loaded read={providers}>
        {({ items: all }) => (
          <Loaded read={links}>
            {({ items: linked }) => {
              // Links to a provider that isn't configured any more can be removed.
              const gone = linked.filter((link) => !all.some(({ id }) => id === link.provider));
              const rows = [...all.map(({ id, name }) => ({ id, name })), ...gone.map(asRow)];
              if (rows.length === 0) return <p class="quiet">{connections.none}</p>;
              return (
                <ul class="rows">
                  {rows.map(({ id, name }) => {
                    const link = linked.find((one) => one.provider === id);
                    return (
                      <li key={id}>
                        <div class="what">
                          <bdi>{name}</bdi>
                          {link && (
                            <span class="quiet">{connections.connected(formatDate(link.linked_at))}</span>
                          )}
                        </div>
                        <button
                          type="button"
                          class="button quiet"
                          aria-label={link ? connections.disconnectOf(name) : connections.connectOf(name)}
                          onClick={() => void (link ? disconnect(id) : connect(id))}
                        >
                          {link ? connections.disconnect : connections.connect}
                        </button>
                      </li>
                    );
                  })}
                </ul>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </section>
  );
}

const asRow = ({ provider, name }: { provider: string; name: string }) => ({ id: provider, name });
