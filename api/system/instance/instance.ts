import { createHash } from "node:crypto";
import type { SignUpMode } from "../../../actors/accounts/sign-in/sign-up.ts";
import { type Accents, accentsOf } from "./accents.ts";

/** The pages that an operator may write, in the order in which they are linked. */
export const ABOUT_PAGES = ["rules", "terms", "privacy", "imprint"] as const;
export type AboutPage = (typeof ABOUT_PAGES)[number];

export type Logo = { bytes: Buffer; type: string; extension: string };

/** What an operator sets of the instance. */
export type InstanceSettings = {
  name: string;
  logo: Logo | null;
  /** #rrggbb in small letters; null: livecore's own colours. */
  accent: string | null;
  /** Markdown by page; one that isn't given doesn't exist. */
  pages: Readonly<Partial<Record<AboutPage, string>>>;
  signUp: SignUpMode;
};

export const DEFAULT_INSTANCE: InstanceSettings = {
  name: "livecore",
  logo: null,
  accent: null,
  pages: {},
  signUp: "open",
};

export type Instance = Pick<InstanceSettings, "name" | "signUp"> & {
  /** Its path below that of PUBLIC_URL changes with its bytes. */
  logo: (Logo & { path: string; hash: string }) | null;
  accents: Accents;
  pages: ReadonlyMap<AboutPage, string>;
};

/** As much of SHA-256 as keeps two logos of one instance apart. */
const HASH_LENGTH = 16;

export function instanceFrom({ name, logo, accent, pages, signUp }: InstanceSettings): Instance {
  return {
    name,
    signUp,
    logo: logo && withPath(logo),
    accents: accentsOf(accent),
    pages: new Map(
      ABOUT_PAGES.flatMap((page): [AboutPage, string][] => {
        const text = pages[page];
        return text === undefined ? [] : [[page, text]];
      }),
    ),
  };
}

function withPath(logo: Logo) {
  const hash = createHash("sha256").update(logo.bytes).digest("hex").slice(0, HASH_LENGTH);
  return { ...logo, hash, path: `instance/logo/${hash}.${logo.extension}` };
}
