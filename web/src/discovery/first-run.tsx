import { site } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";

const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Whether the page may be the operator's: in development, or opened on the server itself. Strangers can't run commands there. */
export const isOperators = (): boolean =>
  site.development !== undefined || THIS_MACHINE.test(location.hostname);

/** How the first staff account is made, while there is none. */
export function FirstRun() {
  const { home } = TEXTS;
  const { data } = useRead("getInstance", {}, { isForAll: true });
  if (!data || data.has_staff) return null;
  return (
    <section class="box" aria-labelledby="first-run">
      <h2 id="first-run">{home.firstRun}</h2>
      <ol class="steps">
        <li>{home.firstRunSignUp}</li>
        <li>
          {home.firstRunCommand} <code>npm run staff -- grant &lt;username&gt;</code>
        </li>
        <li>{home.firstRunSecure}</li>
      </ol>
      <p class="quiet">{home.firstRunOver}</p>
    </section>
  );
}
