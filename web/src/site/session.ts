import { createClient } from "@livecore/client";
import { computed, effect, signal } from "@preact/signals";
import { type Schemas, serviceUrl } from "./page-data.ts";
import { fetchOrSay } from "./problems.ts";

export type Me = Schemas["User"];

/** Of this service's own pages: the session is in cookies that scripts can't read. */
export const client = createClient({
  baseUrl: serviceUrl,
  auth: { mode: "cookie", serviceClient: "livecore-web" },
  fetch: fetchOrSay,
});

/** Set beside the session's cookies, which scripts can't see. */
const isLikelySignedIn = (): boolean => /(?:^|;\s*)lc_signed_in=1/.test(document.cookie);
const tabs = new BroadcastChannel("livecore-session");

/** Who is signed in; null: nobody, undefined: it isn't known yet. */
export const me = signal<Me | null | undefined>(isLikelySignedIn() ? undefined : null);
export const isSignedIn = computed(() => Boolean(me.value));
/** Changes with each other user: what is kept for one is forgotten. */
export const userId = computed(() => me.value?.id ?? null);
/** Counts the sign-ins and sign-outs of this page: what is open as one user is opened anew as the next. */
export const session = signal(0);

const known = new Promise<void>((resolve) => {
  effect(() => {
    if (me.value !== undefined) resolve();
  });
});
/** Resolves once it is known who is signed in. */
export const isKnown = (): Promise<void> => known;

/** Asks who is signed in, where cookies say that somebody is. Throws when there was no answer. */
export async function loadMe(): Promise<void> {
  if (!isLikelySignedIn()) {
    me.value = null;
    return;
  }
  const answer = await client.attempt("getMe");
  followSession();
  if (answer.ok) me.value = answer.data;
  // A session that has ended; any other refusal may pass.
  else if (answer.status === 401 || answer.status === 403) me.value = null;
  else throw answer.error;
}

/** After a sign-in that set the cookies. */
export function becameUser(user: Me): void {
  me.value = user;
  session.value++;
  followSession();
  tabs.postMessage(user.id);
}

/** After a change of the user's own account. */
export function updatedMe(user: Me): void {
  me.value = user;
}

/** Throws the LivecoreError that refused it. */
export async function signOut(): Promise<void> {
  await client.call("logout");
  forgetMe();
}

/** After the service has ended the session, as with a deleted account. */
export function forgetMe(): void {
  me.value = null;
  session.value++;
  tabs.postMessage(null);
}

/** The session may end by itself: it expired, or was ended elsewhere. */
function followSession(): void {
  const { identity } = client;
  identity.addEventListener(
    "abort",
    () => {
      if (isLikelySignedIn() || !me.value) return;
      me.value = null;
      session.value++;
    },
    { once: true },
  );
}

tabs.addEventListener("message", ({ data }: MessageEvent<string | null>) => {
  // Another user's page must not go on with this one's contents.
  if (data !== userId.value) location.reload();
});
