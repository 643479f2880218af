import { useEffect, useRef } from "preact/hooks";
import { followUser, whenMissed } from "../../../site/user-topic.ts";

type Heard = { warned(): void; appealDecided(): void; reportDecided(): void };

/** Says what staff do about the user and decide for them while the page is shown; all of it after a lost connection. */
export function useStaffActs(heard: Heard): void {
  const latest = useRef(heard);
  latest.current = heard;
  useEffect(
    () =>
      followUser((topic) => [
        ...whenMissed(topic, () => {
          latest.current.appealDecided();
          latest.current.reportDecided();
        }),
        topic.on("moderation.warning", () => latest.current.warned()),
        topic.on("appeal.decided", () => latest.current.appealDecided()),
        topic.on("report.updated", () => latest.current.reportDecided()),
      ]),
    [],
  );
}
