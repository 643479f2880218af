import { useRef, useState } from "preact/hooks";
import type { Schemas } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { useRead } from "../site/read.ts";
import { client } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";

export type Preferences = Schemas["NotificationPreferences"];

/** The preferences, saved with each change: one request at a time, the last change with the next. */
export function usePreferences() {
  const read = useRead("getNotificationPreferences", {});
  const [problem, setProblem] = useState<string | null>(null);
  const wanted = useRef<Preferences | null>(null);
  const isSaving = useRef(false);
  async function save(): Promise<void> {
    if (isSaving.current) return;
    isSaving.current = true;
    try {
      while (wanted.current) {
        const next = wanted.current;
        wanted.current = null;
        await client.call("setNotificationPreferences", { body: next });
      }
      setProblem(null);
      say(TEXTS.notifications.preferences.saved);
    } catch (err) {
      wanted.current = null;
      setProblem(TEXTS.notifications.preferences.notSaved(problemOf(err)));
      // What the service has, in place of what it refused.
      read.again();
    }
    isSaving.current = false;
  }
  return {
    read,
    problem,
    change(to: (before: Preferences) => Preferences): void {
      read.change((before) => {
        wanted.current = to(before);
        return wanted.current;
      });
      void save();
    },
  };
}
