import { nameSkeleton } from "../../../base/texts/name-skeleton.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";

/** First path segments that pages and front ends use, and names that could impersonate the service. */
const WRITTEN =
  `about abuse account accounts admin administrator admins analytics anonymous api app apps assets auth billing blog
  bot bots browse cameras categories category channel channels chat chats cdn clip clips community console contact copyright
  creator creators dashboard deleted deleted_user demo developer developers directory discovery dmca docs download
  downloads edge embed explore faq favicon feed feedback files following friends gallery gaming guest healthz help home host
  hosting hosts images inbox info ingest irc irl jobs language legal live livecore login logout mail media me message
  messages metrics mobile mod moderation moderator moderators mods music news notifications null oauth official overlay
  overlays owner password payment payments player playback points popup predictions press privacy prime profile public pushworker raid
  raids readyz redemptions register report reports reset rewards robots root rules safety schedule search security seo
  service session sessions settings setup shop signin signout signup sitemap sitemaps socket sockets staff static status
  store stream streams subscribe subscriptions support sysop system team teams terms test tip tips tokens
  trust twofactor undefined unknown upload uploads user username users v1 v2 verify video videos viewer viewers
  wallet watch webhook webhooks webmaster well_known whispers ws www`.split(/\s+/);

/** As a name could have it: without what names can't contain, and without the ending of a file. */
const word = (segment: string): string => segment.replace(/\.[a-z]+$/, "").replaceAll(/[^\w]/g, "");

/** The first segments of the paths of REST, as they are and below the version. */
const ofRest = (): string[] =>
  operationsOf(readOpenApi()).flatMap(({ path }) => {
    const [first = "", second = ""] = path.split("/").slice(1);
    return first === "v1" && !second.startsWith("{") ? [first, second] : [first];
  });

let skeletons: ReadonlySet<string> | null = null;

/** Whether a name is reserved, or can be taken for one that is. Also takes a segment of a path. */
export function isReservedName(name: string): boolean {
  skeletons ??= new Set([...WRITTEN, ...ofRest()].map((reserved) => nameSkeleton(word(reserved))));
  return skeletons.has(nameSkeleton(word(name)));
}
