import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";

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
