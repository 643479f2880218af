import { computed, effect } from "@preact/signals";
import { me, session } from "../../site/session.ts";
import { pushUser } from "./push-user.ts";

/** Undefined while it isn't known. Not with each change of the account: once for each user. */
const who = computed(() => (me.value === null ? null : me.value?.id));

/**
 * Pushes follow who is signed in. The user who turned them on is registered anew with each start. When that user has signed out, or
 * another one is signed in, this browser forgets them. A start without an answer to who is signed in changes nothing.
 */
effect(() => {
  const now = who.value;
  const isSignOut = now === null && session.value > 0;
  const of = pushUser();
  if (of === null || (typeof now !== "string" && !isSignOut)) return;
  void (async () => {
    const { renewPush, unsubscribe } = await import("./push.ts");
    if (now === of) await renewPush();
    else await unsubscribe();
    // The next start tries again; the settings say what is on.
  })().catch(() => undefined);
});
