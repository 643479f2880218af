import { LivecoreError } from "@livecore/client";
import { useEffect, useState } from "preact/hooks";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";

/** A mail takes a moment: before, another one only confuses. */
const WAIT_MS = 60_000;
const TICK_MS = 1_000;

/** Mails the link again; then, or where the service says so, it takes a while until it can be pressed again. */
export function useResend() {
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(Date.now());
  const { isBusy, run } = useOneAtATime();
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (until === 0) return;
    const tick = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= until) setUntil(0);
    }, TICK_MS);
    return () => clearInterval(tick);
  }, [until]);
  const waitFor = (ms: number): void => {
    setNow(Date.now());
    setUntil(Date.now() + ms);
  };
  return {
    isBusy,
    isSent,
    problem,
    waitSeconds: Math.max(0, Math.ceil((until - now) / 1_000)),
    async resend(): Promise<void> {
      if (until > Date.now()) return;
      await run(async () => {
        setProblem(null);
        setSent(false);
        try {
          await client.call("resendVerification", { retry: false });
          setSent(true);
          waitFor(WAIT_MS);
        } catch (err) {
          setProblem(problemOf(err));
          const wait = err instanceof LivecoreError ? err.retryAfterMs : null;
          if (wait !== null) waitFor(wait);
        }
      });
    },
  };
}
