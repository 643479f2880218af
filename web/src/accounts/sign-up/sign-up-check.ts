import type { Success } from "@livecore/client";
import { useEffect, useState } from "preact/hooks";
import { client } from "../../site/session.ts";

/** What is typed is asked about when the typing pauses. */
const PAUSE_MS = 400;

type Check = Success<"checkSignUp">;

/** What the service says of a name and a password while they are typed; null while it isn't known. */
export function useSignUpCheck(asked: { username?: string; password?: string }): Check | null {
  const { username = "", password = "" } = asked;
  const [check, setCheck] = useState<Check | null>(null);
  useEffect(() => {
    setCheck(null);
    if (username === "" && password === "") return;
    const ended = new AbortController();
    const body = { ...(username === "" ? {} : { username }), ...(password === "" ? {} : { password }) };
    const pause = setTimeout(async () => {
      // Where it isn't answered, the form itself says what is wrong.
      const answer = await client
        .attempt("checkSignUp", { body, signal: ended.signal, retry: false })
        .catch(() => null);
      if (answer?.ok && !ended.signal.aborted) setCheck(answer.data);
    }, PAUSE_MS);
    return () => {
      clearTimeout(pause);
      ended.abort();
    };
  }, [username, password]);
  return check;
}
