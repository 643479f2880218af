import { departed } from "./navigation.ts";

/** A part of the site with a script of its own. */
export type Script<Part> = {
  /** Null until it was loaded. */
  readonly part: Part | null;
  /** Null if the script didn't come: the next call asks for it again. `byItself`: nobody has asked for it, so the page stays. */
  load(tried?: { byItself: boolean }): Promise<Part | null>;
};

/**
 * Of what `load` imports. After a second failure the page is loaded again, where the service is there: an upgrade of the service has
 * other scripts, and some browsers don't ask again for one that failed.
 */
export function scriptOf<Part>(load: () => Promise<Part>): Script<Part> {
  let part: Part | null = null;
  let failures = 0;
  return {
    get part() {
      return part;
    },
    async load({ byItself } = { byItself: false }) {
      try {
        part = await load();
      } catch (err) {
        failures++;
        if (failures > 1 && !byItself) await departed(err);
      }
      return part;
    },
  };
}
