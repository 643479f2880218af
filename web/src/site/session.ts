import { createClient } from "@livecore/client";
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { TEXTS } from "../texts/texts.ts";
import { type Schemas, serviceUrl } from "./page-data.ts";
import { fetchOrSay, Problem } from "./problems.ts";
import { onTold, sessionMarker, tellTabs } from "./session-tabs.ts";

export type Me = Schemas["User"];

/** Of the session that this page shows; empty: of none. */
let marker = sessionMarker();
const forgetting = new Set<() => void>();

/** Of this service's own pages: the session is in cookies that scripts can't read. */
export const client = createClient({
  baseUrl: serviceUrl,
  auth: { mode: "cookie", serviceClient: "livecore-web" },
  async fetch(...request) {
    // It would be sent with the cookies of whoever is signed in now.
    if (leaveIfOutdated()) throw new Problem(TEXTS.problems.otherSession);
    return fetchOrSay(...request);
  },
});

/** Who is signed in; null: nobody, undefined: it isn't known yet. */
export const me = signal<Me | null | undefined>(marker === "" ? null : undefined);
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

/** Calls `forget` when a user is signed in no more: what was theirs isn't the next one's. */
export function whenUserLeaves(forget: () => void): void {
  forgetting.add(forget);
  let last: string | null = null;
  effect(() => {
    const id = userId.value;
    if (last !== null && id !== last) untracked(forget);
    last = id;
  });
}

/** Asks who is signed in, where cookies say that somebody is. Throws when there was no answer. */
export async function loadMe(): Promise<void> {
  if (sessionMarker() === "") return forgetMe();
  const answer = await client.attempt("getMe");
  // The session has ended meanwhile.
  if (sessionMarker() === "") return forgetMe();
  if (leaveIfOutdated()) return;
  if (answer.ok) {
    // The page may be a stranger's so far, for want of an answer.
    if (me.peek() === null) show(answer.data);
    else me.value = answer.data;
    tellTabs({ userId: answer.data.id, marker });
  }
  // A session that has ended; any other refusal may pass.
  else if (answer.status === 401 || answer.status === 403) me.value = null;
  else throw answer.error;
}

/** After a sign-in that set the cookies. */
export function becameUser(user: Me): void {
  show(user);
  tellTabs({ userId: user.id, marker });
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
  marker = "";
  if (me.peek() !== null) show(null);
  tellTabs({ userId: null, marker });
}

function show(user: Me | null): void {
  batch(() => {
    me.value = user;
    session.value++;
  });
}

function reload(): void {
  if (me.peek()) for (const forget of forgetting) forget();
  location.reload();
}

/** Loads the page again if the cookies are of another session than it shows; true if so. */
function leaveIfOutdated(): boolean {
  const now = sessionMarker();
  const isOutdated = now !== marker;
  // With a session that has ended before the page showed anything of its user, it goes on as a stranger's.
  if (isOutdated && now === "" && !me.peek()) {
    marker = now;
    me.value = null;
    return false;
  }
  if (isOutdated) reload();
  return isOutdated;
}

/** The client's identity ends with each sign-in and sign-out of this page, and with a session that was ended elsewhere. */
function followIdentity(): void {
  const { identity } = client;
  const onEnd = (): void => {
    followIdentity();
    const now = sessionMarker();
    // Another page has signed in another user, whom a refresh named.
    if (me.peek() && now !== "" && now !== marker) reload();
    else {
      marker = now;
      if (me.peek()) show(null);
    }
  };
  identity.addEventListener("abort", onEnd, { once: true });
}
followIdentity();

onTold((told) => {
  // Whoever is asking already sees it in the cookies.
  if (me.peek() === undefined) return;
  // Another user's page must not go on with this one's contents.
  if (told.userId !== userId.peek()) reload();
  else marker = told.marker;
});
// Nobody tells of what other programs do with the cookies, and a page that the browser has kept for the way back hears nothing.
document.addEventListener("visibilitychange", leaveIfOutdated);
addEventListener("focus", leaveIfOutdated);
addEventListener("pageshow", leaveIfOutdated);
