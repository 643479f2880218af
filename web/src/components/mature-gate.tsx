import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Schemas } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** Once for all channels: who has agreed isn't asked again in this browser. */
const KEY = "livecore-mature";

type Rated = Pick<Schemas["Stream"], "is_mature">;

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

const hasAgreed = signal(isRemembered());

/** Whether it may be shown, also by what stands beside the warning. */
export const maySee = ({ is_mature }: Rated): boolean => !is_mature || hasAgreed.value;

/** A warning before what isn't for everybody. */
export function MatureGate({ of, children }: { of: Rated; children: ComponentChildren }) {
  const { mature } = TEXTS;
  if (maySee(of)) return <>{children}</>;
  return (
    <div class="gate">
      <h2>{mature.title}</h2>
      <p>{mature.hint}</p>
      <button
        type="button"
        class="button"
        onClick={() => {
          remember();
          hasAgreed.value = true;
        }}
      >
        {mature.show}
      </button>
    </div>
  );
}
