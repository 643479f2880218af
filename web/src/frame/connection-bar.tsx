import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isConnectionLost } from "../site/live.ts";
import { TEXTS } from "../texts/texts.ts";

/** A shorter interruption isn't worth a word: a worker's end is one. */
const SAID_AFTER_MS = 2_500;

/** Says that the page isn't up to date, while it isn't. */
export function ConnectionBar() {
  const isOffline = useSignal(!navigator.onLine);
  const isSaid = useSignal(false);
  useEffect(() => {
    const update = () => {
      isOffline.value = !navigator.onLine;
    };
    addEventListener("online", update);
    addEventListener("offline", update);
    return () => {
      removeEventListener("online", update);
      removeEventListener("offline", update);
    };
  }, []);
  const isLost = isConnectionLost.value;
  useEffect(() => {
    if (!isLost) {
      isSaid.value = false;
      return;
    }
    const wait = setTimeout(() => {
      isSaid.value = true;
    }, SAID_AFTER_MS);
    return () => clearTimeout(wait);
  }, [isLost]);
  const { offline, lost } = TEXTS.frame;
  const text = isOffline.value ? offline : isSaid.value ? lost : null;
  return (
    <div class="connection" role="status" data-shown={text !== null}>
      {text}
    </div>
  );
}
