/** Rejects other openers: another site could otherwise open this window and ask on behalf of any site. */
export function isOpenedByChat(): boolean {
  try {
    const { origin, pathname } = window.opener.location;
    return origin === location.origin && pathname.includes("/embed/chat/");
  } catch {
    return false;
  }
}
