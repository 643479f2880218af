type TrustedTypes = {
  createPolicy(name: "default", rules: { createScriptURL: (url: string) => string }): unknown;
};

let isTrusted = false;

/**
 * The site's policy lets no text become script. The player's worker is the one exception: its address is known, and nothing else is let
 * through.
 */
export function trustWorker(workerPath: string): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (isTrusted || !trustedTypes) return;
  isTrusted = true;
  trustedTypes.createPolicy("default", {
    createScriptURL(url) {
      if (new URL(url, location.href).href === new URL(workerPath, location.href).href) return url;
      throw new TypeError("This page loads no script from there.");
    },
  });
}
