import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { departed } from "../site/navigation.ts";
import { TEXTS } from "../texts/texts.ts";

/**
 * A component of a script of its own, loaded when it is first shown: what stands beside it stays as it is until then. (`lazy` of
 * the router would take the page for one that is only just opened.)
 */
export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | null = null;
  return function Later(props: Props) {
    const [tries, setTries] = useState(0);
    const [state, setState] = useState<"loading" | "there" | "failed">("loading");
    useEffect(() => {
      if (loaded) return;
      let isShown = true;
      setState("loading");
      load().then(
        (component) => {
          loaded = component;
          if (isShown) setState("there");
        },
        (err: unknown) => {
          if (!isShown) return;
          setState("failed");
          // It isn't the line, then: an upgrade of the service has other scripts.
          if (tries > 0 && navigator.onLine) departed(err);
        },
      );
      return () => {
        isShown = false;
      };
    }, [tries]);
    if (loaded) {
      const Loaded = loaded;
      return <Loaded {...props} />;
    }
    if (state !== "failed") return null;
    return (
      <div class="problem" role="alert">
        <p>{TEXTS.problems.unreachable}</p>
        <button type="button" class="button" onClick={() => setTries(tries + 1)}>
          {TEXTS.tryAgain}
        </button>
      </div>
    );
  };
}
