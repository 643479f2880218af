type TrustedTypes = {
  createPolicy(name: "default", rules: { createScriptURL: (url: string) => string }): unknown;
};

const addressOf = (path: string): string => new URL(path, location.href).href;
const known = new Set<string>();
let isPolicyMade = false;

/**
 * The site's policy lets no text become script. The workers of the player and of push notifications are the exceptions: their addresses
 * are known, and nothing else is let through.
 */
export function trustWorker(path: string): void {
  known.add(addressOf(path));
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (isPolicyMade || !trustedTypes) return;
  isPolicyMade = true;
  trustedTypes.createPolicy("default", {
    createScriptURL(url) {
      if (known.has(addressOf(url))) return url;
      throw new TypeError("This page loads no script from there.");
    },
  });
}
