import { useRead } from "../../site/read.ts";
import { TEXTS } from "../../texts/texts.ts";
import { providerAddress, rememberDeparture } from "./provider-return.ts";

/** A button for each provider; nothing where the service has none. */
export function Providers({ next }: { next: string | undefined }) {
  const { accounts } = TEXTS;
  const providers = useRead("listOauthProviders", { query: { per_page: 100 } }).data?.items ?? [];
  if (providers.length === 0) return null;
  return (
    <section class="form" aria-label={accounts.providers}>
      <p class="divided">{accounts.or}</p>
      {providers.map(({ id, name }) => (
        <a
          key={id}
          class="button quiet wide"
          href={providerAddress(id)}
          onClick={() => rememberDeparture("sign-in", { provider: id, next })}
        >
          <bdi>{accounts.continueWith(name)}</bdi>
        </a>
      ))}
    </section>
  );
}
