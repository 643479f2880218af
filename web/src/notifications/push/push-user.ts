/** Whose notifications this browser shows, so that it doesn't show them as somebody else's. */
const KEY = "livecore-push-user";

export function pushUser(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // The browser denies storage: push isn't renewed by itself.
    return null;
  }
}

export function keepPushUser(userId: string): void {
  try {
    localStorage.setItem(KEY, userId);
  } catch {
    // As above.
  }
}

export function forgetPushUser(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // As above.
  }
}
