import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Schemas } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** Once for all channels: who has agreed isn't asked again in this browser. */
const KEY = "livecore-mature";

function isRemembered(): boolean {
  try {
    return localStorage.getItem(KEY) === "1";
  } catch {
    // The browser denies storage: it is asked again.
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(KEY, "1");
  } catch {
    // It lasts as long as the page.
  }
}

/** A warning before what isn't for everybody. */
export function MatureGate({
  stream,
  children,
}: {
  stream: Pick<Schemas["Stream"], "is_mature">;
  children: ComponentChildren;
}) {
  const [isOpen, open] = useState(!stream.is_mature || isRemembered());
  const { mature } = TEXTS;
  if (isOpen) return <>{children}</>;
  return (
    <div class="gate">
      <h2>{mature.title}</h2>
      <p>{mature.hint}</p>
      <button
        type="button"
        class="button"
        onClick={() => {
          remember();
          open(true);
        }}
      >
        {mature.show}
      </button>
    </div>
  );
}
