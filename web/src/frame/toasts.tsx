import { X } from "lucide";
import { Icon } from "../components/icon.tsx";
import { dismiss, toasts } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";

/** What came of things, the newest last. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      <ul>
        {toasts.value.map(({ no, text, isProblem }) => (
          <li key={no} class={isProblem ? "toast problem" : "toast"}>
            <span>{text}</span>
            <button type="button" aria-label={TEXTS.close} onClick={() => dismiss(no)}>
              <Icon of={X} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
