import { type Request, type RequestHandler, Router } from "express";
import type { Seo } from "../../../actors/discovery/seo/seo.ts";
import type { ClipFeature } from "../../../actors/live/clips/clips.ts";
import { processClock } from "../../../base/clock.ts";
import type { Clip, Video } from "../../../contract/wire.ts";
import { LOCALE } from "../../../web/src/formats/locale.ts";
import {
  DEVELOPERS_PAGES,
  MAILED_PAGES,
  PLAIN_PAGES,
  PUBLIC_PAGES,
  type TitledPages,
} from "../../../web/src/pages/pages.ts";
import { EN } from "../../../web/src/texts/en.ts";
import type { AdmitPages } from "../../http/admit-pages.ts";
import type { ReadAnonymously, ReadInput } from "../../http/anonymous-answers.ts";
import type { Html } from "../../http/html.ts";
import { ifFound } from "../../http/if-found.ts";
import type { OperationId } from "../../http/operation-types.ts";
import { rootOf } from "../../http/page-layout.ts";
import type { Instance } from "../../system/instance/instance.ts";
import type { WebFiles } from "../web-files.ts";
import type { Development } from "./development.ts";
import { developmentData } from "./development.ts";
import { mediaHead, PRIVATE_HEAD, plainHead, publicHead } from "./heads.ts";
import { sitePolicy } from "./policy.ts";
import { accentStyle, type PageAnswer, shellOf, startScript } from "./shell.ts";

const USERNAME = /^[A-Za-z0-9_]{3,25}$/;
const CACHE_S = 30;
/** Of the front page, which shows who is live. */
const FRONT_CACHE_S = 2;
const FIRST_PAGE = { page: 1, per_page: 24 };

type SiteDeps = {
  web: WebFiles;
  seo: Pick<Seo, "ofUser" | "publicUrl">;
  read: ReadAnonymously;
  /** Base URL from which the player fetches video. */
  edgeUrl: string;
  instance: Instance;
  clips: Pick<ClipFeature, "areMade">;
  takesPayments: boolean;
  /** Null in production. */
  development: Development | null;
};

/** What heads need of recordings and clips. */
type VideoFacts = Pick<
  Video,
  "title" | "streamer" | "thumbnail_url" | "created_at" | "published_at" | "duration_seconds"
>;
type ClipFacts = Pick<Clip, "title" | "streamer" | "thumbnail_url" | "created_at" | "duration">;
type Shown = {
  title: string;
  head: Html;
  data?: readonly PageAnswer[];
  /** 200 by default. */
  status?: number;
};
/** What strangers can't see may be there for the reader, as whom the page asks: a clip that is being cut, a private video. */
const notForStrangers = (title: string): Shown => ({ title, head: PRIVATE_HEAD, status: 404 });

/**
 * The pages for people: an HTML document whose script shows everything. What search engines and link previews read is in its head, and what
 * the script would ask for first is in it as data, the same for everybody. Its last route matches any path of one segment.
 */
export function sitePages(deps: SiteDeps, { page }: AdmitPages): Router {
  const { web, seo, edgeUrl, instance, development } = deps;
  const { publicUrl } = seo;
  const router = Router({ caseSensitive: true, strict: true });
  const root = rootOf(publicUrl);
  const { name } = instance;
  const accent = accentStyle(instance.accents);
  const logo = instance.logo && { src: root + instance.logo.path, type: instance.logo.type };
  // Where links are previewed, SVG isn't shown.
  const isPicture = instance.logo !== null && instance.logo.type !== "image/svg+xml";
  const preview = isPicture ? `${publicUrl}/${instance.logo?.path}` : null;
  const known = {
    root,
    url: publicUrl,
    name,
    logo: logo?.src ?? null,
    sign_up: instance.signUp,
    makes_clips: deps.clips.areMade,
    takes_payments: deps.takesPayments,
    pages: [...instance.pages.keys()],
  };
  const start = startScript(root, web.site.entry);
  const titled = (title: string) => `${title} · ${name}`;

  const read = async (req: Request, operation: OperationId, input: ReadInput): Promise<PageAnswer> => ({
    operation,
    input,
    json: await deps.read(req, operation, input),
  });

  /** `make` finds what is shown; null where there is nothing. @param seconds caches keep it; 0: they don't */
  function add<Params>(
    path: string,
    source: string,
    make: (req: Request, params: Params) => Promise<Shown | null> | Shown,
    seconds: number = CACHE_S,
  ): void {
    const scripts = web.site.scriptsOf(source);
    const policy = sitePolicy({
      inline: start,
      style: accent,
      preloaded: [...web.site.base, ...scripts],
      edge: new URL(edgeUrl).origin,
    });
    const send: RequestHandler<Params> = async (req, res, next) => {
      const shown = await make(req as Request, req.params);
      if (!shown) return next();
      const { title, head, data = [], status = 200 } = shown;
      const site = { ...known, ...developmentData(development) };
      res.setHeader("Content-Security-Policy", policy);
      const isKept = !development && seconds > 0;
      res.setHeader("Cache-Control", isKept ? `public, max-age=${seconds}` : "no-store");
      // Without it browsers send the Origin of the demo's form as null.
      if (development) res.setHeader("Referrer-Policy", "same-origin");
      res
        .status(status)
        .type("html")
        .send(
          shellOf(
            { site, built: web.site, scripts, start, accent, now: processClock.now() },
            { lang: LOCALE, title, head, data },
          ).text,
        );
    };
    router.get(path, page(send));
  }
  const addPublic = <Params>(
    path: keyof typeof PUBLIC_PAGES,
    make: (req: Request, params: Params) => Promise<Shown | null>,
    seconds?: number,
  ): void => add(path, PUBLIC_PAGES[path], make, seconds);
  const addTitled = (pages: TitledPages, seconds?: number): void => {
    for (const [path, [source, title]] of Object.entries(pages))
      add(path, source, () => ({ title: titled(title(EN)), head: PRIVATE_HEAD }), seconds);
  };

  addPublic(
    "/",
    async (req) => ({
      title: name,
      head: plainHead(name, {
        title: name,
        description: `Watch live channels on ${name}, and talk in their chats.`,
        canonical: `${publicUrl}/`,
        image: preview,
      }),
      data: await Promise.all([read(req, "getHome", {}), read(req, "getInstance", {})]),
    }),
    FRONT_CACHE_S,
  );
  addPublic("/categories", async (req) => ({
    title: titled(EN.categories.title),
    head: plainHead(name, {
      title: EN.categories.title,
      description: `All categories on ${name}, by viewers.`,
      canonical: `${publicUrl}/categories`,
    }),
    data: [await read(req, "listCategories", { query: FIRST_PAGE })],
  }));
  addPublic<{ category_id: string }>("/categories/:category_id", async (req, path) => {
    const found = await ifFound(read(req, "getCategory", { path }));
    if (!found) return null;
    const category: { name: string; slug: string; cover_image: string | null } = JSON.parse(found.json);
    return {
      title: titled(category.name),
      head: plainHead(name, {
        title: category.name,
        description: `Live channels in ${category.name}.`,
        canonical: `${publicUrl}/categories/${category.slug}`,
        image: category.cover_image,
      }),
      data: [
        found,
        await read(req, "listCategoryStreams", { path, query: { ...FIRST_PAGE, sort: "viewers" } }),
      ],
    };
  });
  addPublic<{ video_id: string }>("/videos/:video_id", async (req, path) => {
    const found = await ifFound(read(req, "getVideo", { path }));
    if (!found) return notForStrangers(titled(EN.videos.missing));
    const video: VideoFacts = JSON.parse(found.json);
    const { title, streamer: from, thumbnail_url: image, duration_seconds: seconds } = video;
    const since = video.published_at ?? video.created_at;
    const url = `${publicUrl}/videos/${path.video_id}`;
    return {
      title: titled(title),
      head: mediaHead(name, { title, from, image, url, since, seconds }),
      data: [found],
    };
  });
  addPublic<{ clip_id: string }>("/clips/:clip_id", async (req, path) => {
    const found = await ifFound(read(req, "getClip", { path }));
    if (!found) return notForStrangers(titled(EN.clips.missing));
    const clip: ClipFacts = JSON.parse(found.json);
    const { title, streamer: from, thumbnail_url: image = null, created_at: since, duration: seconds } = clip;
    const url = `${publicUrl}/clips/${path.clip_id}`;
    return {
      title: titled(title),
      head: mediaHead(name, { title, from, image, url, since, seconds }),
      data: [found],
    };
  });
  addTitled(PLAIN_PAGES);
  addTitled(MAILED_PAGES, 0);
  if (development) addTitled(DEVELOPERS_PAGES);
  addPublic<{ username: string }>("/:username", async (req, params) => {
    const username = params.username.toLowerCase();
    const found = USERNAME.test(username) ? await ifFound(seo.ofUser(username)) : null;
    if (!found) return null;
    return {
      title: found.seo.title,
      head: publicHead(found.seo),
      data: [await read(req, "getChannel", { path: { username } })],
    };
  });
  return router;
}
