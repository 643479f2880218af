import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  ABOUT_PAGES,
  type AboutPage,
  DEFAULT_INSTANCE,
  type Logo,
} from "../../../api/system/instance/instance.ts";
import { BLANK, HIDDEN } from "../../../contract/invisible.ts";
import * as schema from "./schemas.ts";
import { setting } from "./setting.ts";

const MOST_LOGO_BYTES = 256 * 1_024;
const MOST_PAGE_BYTES = 256 * 1_024;
const MOST_NAME_LENGTH = 40;

const UNSHOWN = new RegExp(`[${BLANK}${HIDDEN}]`, "gu");
/** Ends of lines, and what turns the direction of the text behind it. */
const DISORDERLY = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const instanceName: schema.Schema<string> = {
  shape: `1 to ${MOST_NAME_LENGTH} characters`,
  parse(value) {
    const isShown = value.replaceAll(UNSHOWN, "") !== "" && !DISORDERLY.test(value);
    if (!isShown || [...value].length > MOST_NAME_LENGTH)
      throw new Error(`must be one line of 1 to ${MOST_NAME_LENGTH} characters that can be seen`);
    return value;
  },
};

/** What may stand before the root of an XML document. */
const PROLOG = /^(?:\uFEFF|\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>[]*>)/is;

function isSvg(bytes: Buffer): boolean {
  let text = bytes.toString("utf8");
  for (let before = PROLOG.exec(text); before; before = PROLOG.exec(text))
    text = text.slice(before[0].length);
  return /^<svg[\s/>]/.test(text);
}

/** By their first bytes, whatever the file is called. */
const LOGO_TYPES: readonly (Omit<Logo, "bytes"> & { isOf(bytes: Buffer): boolean })[] = [
  {
    type: "image/png",
    extension: "png",
    isOf: (bytes) => bytes.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n",
  },
  {
    type: "image/jpeg",
    extension: "jpg",
    isOf: (bytes) => bytes.toString("latin1", 0, 3) === "\xff\xd8\xff",
  },
  {
    type: "image/webp",
    extension: "webp",
    isOf: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString("latin1", 0, 12)),
  },
  { type: "image/svg+xml", extension: "svg", isOf: isSvg },
];

/** Throws an Error that continues the sentence "NAME …". */
function readBounded(path: string, mostBytes: number): Buffer {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new Error(`names ${path}, which is no file`);
  if (stats.size > mostBytes) throw new Error(`names ${path}, which has more than ${mostBytes / 1_024} KiB`);
  try {
    return readFileSync(path);
  } catch (err) {
    throw new Error(`names ${path}, which can't be read: ${String(err)}`);
  }
}

const instanceLogo: schema.Schema<Logo | null> = {
  shape: "a file or nothing",
  parse(value) {
    if (value === "") return null;
    const bytes = readBounded(value, MOST_LOGO_BYTES);
    const found = LOGO_TYPES.find(({ isOf }) => isOf(bytes));
    if (!found) throw new Error(`names ${value}, which is no PNG, JPEG, WebP or SVG`);
    return { bytes, type: found.type, extension: found.extension };
  },
};

const accent: schema.Schema<string | null> = {
  shape: "#rrggbb or nothing",
  parse(value) {
    if (value === "") return null;
    if (!/^#[0-9a-f]{6}$/i.test(value)) throw new Error("must be a colour such as #5b3fa8");
    return value.toLowerCase();
  },
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

function readPage(path: string): string {
  const bytes = readBounded(path, MOST_PAGE_BYTES);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Error(`has ${path}, which isn't UTF-8`);
  }
}

const instancePages: schema.Schema<Partial<Record<AboutPage, string>>> = {
  shape: "a folder or nothing",
  parse(value) {
    if (value === "") return {};
    if (!statSync(value, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`names ${value}, which is no folder`);
    const there = ABOUT_PAGES.filter(
      (page) => statSync(join(value, `${page}.md`), { throwIfNoEntry: false }) !== undefined,
    );
    if (there.length === 0)
      throw new Error(
        `names ${value}, which has none of ${ABOUT_PAGES.map((page) => `${page}.md`).join(", ")}`,
      );
    return Object.fromEntries(there.map((page) => [page, readPage(join(value, `${page}.md`))]));
  },
};

/** How the instance presents itself, and who may join it. Files are read once, when a process starts. */
export const INSTANCE_SETTINGS = {
  instanceName: setting(
    "INSTANCE_NAME",
    instanceName,
    DEFAULT_INSTANCE.name,
    "What the service is called on its pages; `GET /v1/instance` says it to clients.",
  ),
  instanceLogo: setting(
    "INSTANCE_LOGO",
    instanceLogo,
    "",
    `Its logo: a PNG, JPEG, WebP or SVG of at most ${MOST_LOGO_BYTES / 1_024} KiB, the same on every host. It is read at the start; SIGUSR2 reads it anew.`,
  ),
  instanceAccent: setting(
    "INSTANCE_ACCENT",
    accent,
    "",
    "Colour of links and buttons. On light and dark pages it is darkened or lightened as far as a contrast of 4.5:1 takes. If not set, livecore's own.",
  ),
  instancePages: setting(
    "INSTANCE_PAGES",
    instancePages,
    "",
    `Folder with any of ${ABOUT_PAGES.map((page) => `\`${page}.md\``).join(", ")}, in Markdown without HTML, each at most ${MOST_PAGE_BYTES / 1_024} KiB. They are at \`/about/rules\` and so on, and are read as the logo is.`,
  ),
  signUp: setting(
    "SIGN_UP",
    schema.oneOf("open", "invitation", "closed"),
    DEFAULT_INSTANCE.signUp,
    "Who may make an account, also by a provider: anybody, whoever has an invitation (`npm run staff -- invite` makes one), or nobody. Existing accounts sign in either way.",
  ),
};
