import type { components } from "@livecore/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { mentions } from "../../../chat/message-text.ts";
import type { Sampling } from "../../../chat/room.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { me } from "../../../site/session.ts";
import { kindOf } from "./kind-of.ts";
import { Sample, SECOND_MS } from "./sample.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/** A sample for as long as the component is shown, and which part of the messages it takes. */
export function useSample(): { sampling: Sampling; oneOf: number } {
  const { current: sample } = useRef(new Sample());
  const since = useRef<number | null>(null);
  const { current: sampling } = useRef<Sampling>({
    takes(message) {
      const self = me.value?.username;
      const isMeant = self !== undefined && isTo(self, message);
      return sample.takes(kindOf(message, { self, isMeant, since: since.current, now: serverNow() }));
    },
    subscribed() {
      since.current = serverNow();
    },
  });
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

const isTo = (reader: string, message: ChatMessage): boolean =>
  message.reply_to_user === reader || mentions(message, reader);
