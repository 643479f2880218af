import { useState } from "preact/hooks";
import { useTitle } from "../site/navigation.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { isSignedIn } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { SupportForm } from "./support-form.tsx";

/** Writing to the operator, with an account or without. */
export function Support() {
  const { support } = TEXTS;
  useTitle(support.title);
  const [sent, setSent] = useState<Schemas["SupportRequest"] | null>(null);
  return (
    <div class="narrow">
      {sent ? (
        <div class="form" role="status">
          <h1>{support.sentTitle}</h1>
          <p>{support.sent(sent.email)}</p>
          <p class="quiet">{support.reference(sent.id)}</p>
          <button type="button" class="button quiet wide" onClick={() => setSent(null)}>
            {support.again}
          </button>
        </div>
      ) : (
        <div class="form">
          <h1>{support.title}</h1>
          <p>{support.hint}</p>
          {isSignedIn.value && (
            <p>
              <a href={to("/settings/standing")}>{support.standing}</a>
            </p>
          )}
          <SupportForm onSent={setSent} />
        </div>
      )}
    </div>
  );
}
