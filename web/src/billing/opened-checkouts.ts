/**
 * The checkouts that this browser has opened, with the addresses of their pages. Anybody can write a link that names a checkout: what it
 * names is shown, and can be paid, only where it was opened. In all tabs, since a bank's app leads back into a new one.
 */
const KEY = "livecore-checkouts";
const MOST = 10;

type Opened = { id: string; url: string };

/** The newest last. */
function opened(): Opened[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isOpened) : [];
  } catch {
    // The browser denies storage, or something else wrote there.
    return [];
  }
}

const isOpened = (one: unknown): one is Opened =>
  typeof one === "object" &&
  one !== null &&
  "id" in one &&
  typeof one.id === "string" &&
  "url" in one &&
  typeof one.url === "string";

export function rememberCheckout(one: Opened): void {
  const others = opened().filter(({ id }) => id !== one.id);
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, one].slice(-MOST)));
  } catch {
    // Without storage nothing is said after coming back.
  }
}

/** The address of its payment page; null if it wasn't opened here. */
export const addressOfOpened = (id: string): string | null =>
  opened().find((one) => one.id === id)?.url ?? null;

/** The next user of this browser isn't asked to pay them. */
export function forgetCheckouts(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was remembered, then.
  }
}
