/**
 * What pages know without a request of who is signed in: of those of the site, and of the sign-in window of embeds.
 */

const MARKERS = /(?:^|;\s*)lc_signed_in=([^;]*)/g;

/** Of the cookies' session: another one after each sign-in, wherever that was, and the same after a refresh. Empty without a session. */
export const sessionMarker = (): string =>
  // With a cookie domain, another host may have set one more.
  Array.from(document.cookie.matchAll(MARKERS), ([, marker]) => marker).join(" ");

/** Whose session has which marker; `userId` null: nobody is signed in. */
type Told = { userId: string | null; marker: string };

const tabs = new BroadcastChannel("livecore-session");

/** Tells the browser's other pages. */
export const tellTabs = (told: Told): void => tabs.postMessage(told);

export function onTold(call: (told: Told) => void): void {
  tabs.addEventListener("message", ({ data }: MessageEvent<Told>) => call(data));
}
