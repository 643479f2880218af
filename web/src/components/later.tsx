import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lazy } from "preact-iso";
import { retryWait } from "../site/retry-wait.ts";
import { type Script, scriptOf } from "../site/script.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";

/** That a part is asked for without a press. */
const MOST_TIMES = 4;

type Component<Props> = FunctionComponent<Props>;
type Load<Props> = () => Promise<Component<Props>>;

/** A page of a script of its own. The page before it stays until it is there, or until its script has failed. */
export function page<Props extends object>(load: Load<Props>): Component<Props> {
  const script = scriptOf(load);
  const Late = lateOf(script, () => null, false);
  return lazy(async () => (await script.load()) ?? Late);
}

/**
 * A component of a script of its own, loaded when it is first shown: what stands beside it stays as it is until then. `Loading` is shown
 * in its place until it is there.
 */
export const later = <Props extends object>(
  load: Load<Props>,
  Loading: Component<Props> = () => null,
): Component<Props> => lateOf(scriptOf(load), Loading, true);

/** As `later`, for a dialog that a press opens: where its script doesn't come, a toast says so, and the next press tries again. */
export function laterDialog<Props extends { onClose(): void }>(load: Load<Props>): Component<Props> {
  const script = scriptOf(load);
  return function LaterDialog(props: Props) {
    const [isThere, setThere] = useState(script.part !== null);
    useEffect(() => {
      if (isThere) return;
      let isShown = true;
      void script.load().then((part) => {
        if (!isShown) return;
        setThere(part !== null);
        if (part !== null) return;
        sayMissing();
        props.onClose();
      });
      return () => {
        isShown = false;
      };
    }, []);
    const Part = isThere ? script.part : null;
    return Part && <Part {...props} />;
  };
}

/** Says that what was pressed can't be shown now. */
export const sayMissing = (): void => say(whyMissing(), { isProblem: true });

const whyMissing = (): string => (navigator.onLine ? TEXTS.problems.partFailed : TEXTS.problems.unreachable);

/** `isPart`: of a page that goes on without it, so that it may be tried again by itself. */
function lateOf<Props extends object>(
  script: Script<Component<Props>>,
  Loading: Component<Props>,
  isPart: boolean,
): Component<Props> {
  return function Late(props: Props) {
    const [asked, ask] = useState({ times: 1, byItself: false });
    const [state, setState] = useState<"loading" | "there" | "failed">(script.part ? "there" : "loading");
    useEffect(() => {
      if (script.part) return;
      let isShown = true;
      setState("loading");
      void script.load(asked).then((part) => isShown && setState(part ? "there" : "failed"));
      return () => {
        isShown = false;
      };
    }, [asked]);
    const again = (byItself: boolean): void => ask(({ times }) => ({ times: times + 1, byItself }));
    useEffect(() => {
      if (state !== "failed") return;
      const back = (): void => again(false);
      addEventListener("online", back);
      // The service may have been too busy, as when everybody asks at once.
      const isWaiting = isPart && asked.times < MOST_TIMES;
      const timer = isWaiting ? setTimeout(() => again(true), retryWait(asked.times, null)) : undefined;
      return () => {
        removeEventListener("online", back);
        clearTimeout(timer);
      };
    }, [state]);
    const Part = script.part;
    if (Part) return <Part {...props} />;
    if (state !== "failed") return <Loading {...props} />;
    return (
      <div class="problem" role="alert">
        <p>{whyMissing()}</p>
        <button type="button" class="button" onClick={() => again(false)}>
          {TEXTS.tryAgain}
        </button>
      </div>
    );
  };
}
