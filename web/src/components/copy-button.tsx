import { Copy } from "lucide";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";

/** Puts a text into the clipboard, and says so. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { settings } = TEXTS;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(settings.copied);
    } catch {
      say(settings.notCopied, { isProblem: true });
    }
  };
  return (
    <button type="button" class="button quiet" onClick={() => void copy()}>
      <Icon of={Copy} />
      {label ?? settings.copy}
    </button>
  );
}
