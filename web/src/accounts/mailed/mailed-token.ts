import { useEffect, useState } from "preact/hooks";

/** What a mailed link has in its fragment, which no log and no other page sees. */
type MailedLink = { token: string; account: string | null };

/**
 * What the link had, taken out of the address, so that it is in no history. Nothing is posted before a button is pressed: programs
 * that scan mails open links, and would use them up.
 */
export function useMailedLink(): MailedLink {
  const [link, setLink] = useState(take);
  useEffect(() => {
    // Another link to the same page, pasted into the address: nothing is loaded anew.
    const update = (): void => {
      if (location.hash !== "") setLink(take());
    };
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return link;
}

function take(): MailedLink {
  const params = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== "") history.replaceState(history.state, "", location.pathname);
  return { token: params.get("token") ?? "", account: params.get("account") };
}
