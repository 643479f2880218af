import type { components } from "@livecore/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { mentions } from "../../../chat/message-text.ts";
import type { Sampling } from "../../../chat/room.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { me } from "../../../site/session.ts";
import { type Kind, Sample, SECOND_MS } from "./sample.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/** Messages are here sooner than that, unless they come again. */
const LATE_MS = 2_000;

/** A sample for as long as the component is shown, and which part of the messages it takes. */
export function useSample(): { sampling: Sampling; oneOf: number } {
  const { current: sample } = useRef(new Sample());
  const { current: sampling } = useRef<Sampling>({ takes: (message) => sample.takes(kindOf(message)) });
  const [oneOf, setOneOf] = useState(1);
  useEffect(() => {
    const timer = setInterval(() => {
      sample.look();
      setOneOf(sample.oneOf);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return { sampling, oneOf };
}

/** What the reader wrote or is meant by, and what comes with an act or as an announcement, is more than a part of a flood. */
function kindOf(message: ChatMessage): Kind {
  if (message.act || message.type === "announcement") return "wanted";
  const self = me.value?.username;
  const isOfSelf =
    self !== undefined &&
    (message.username === self || message.reply_to_user === self || mentions(message, self));
  if (isOfSelf) return "wanted";
  return serverNow() - message.timestamp > LATE_MS ? "late" : "usual";
}
