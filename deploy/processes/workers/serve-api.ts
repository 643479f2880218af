import { join } from "node:path";
import type { Router } from "express";
import { signingKey, verifiedId } from "../../../actors/hooks/signatures.ts";
import { ingestNetworks } from "../../../actors/live/ingest/networks.ts";
import { assetFiles } from "../../../api/discovery/assets.ts";
import { embedPages } from "../../../api/discovery/embeds/pages.ts";
import { seoPages } from "../../../api/discovery/seo/pages.ts";
import { demoButton } from "../../../api/discovery/site/demo-button.ts";
import type { Development } from "../../../api/discovery/site/development.ts";
import { sitePages } from "../../../api/discovery/site/pages.ts";
import { readWebFiles } from "../../../api/discovery/web-files.ts";
import type { AdmitPages } from "../../../api/http/admit-pages.ts";
import type { CachedRead } from "../../../api/http/anonymous-reads.ts";
import type { SystemKeys } from "../../../api/http/authenticate.ts";
import type { Answered } from "../../../api/http/context.ts";
import type { RestRefusal } from "../../../api/http/error-response.ts";
import { createListCursors } from "../../../api/http/list-cursors.ts";
import type { PageSite } from "../../../api/http/page-layout.ts";
import type { RequestSlots } from "../../../api/http/request-slots.ts";
import type { Signatures } from "../../../api/http/signatures.ts";
import { developmentEdge } from "../../../api/live/playback/development-edge.ts";
import { registerRoutes } from "../../../api/routes.ts";
import { aboutPages } from "../../../api/system/instance/about-pages.ts";
import { instanceFrom } from "../../../api/system/instance/instance.ts";
import { logoFile } from "../../../api/system/instance/logo-file.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { type Config, ownEdgeOf } from "../config/config.ts";
import type { PeerSecrets } from "../config/peer-secrets.ts";
import { projectRoot } from "../config/project.ts";
import type { Secret } from "../config/secret.ts";
import { openFilesBudget } from "../process/open-files.ts";
import type { Core } from "./core.ts";
import { masterKeysOf } from "./master-keys.ts";
import { createRoomLongPollClient } from "./room-long-poll-client.ts";
import { type HttpServer, serveHttp } from "./serve-http.ts";
import type { Serving } from "./serving.ts";

/** Verifies signatures of webhooks. Uses the service's clock, which specs may move. */
function hookSignatures({ billing, clock }: Core, peers: PeerSecrets["peers"]): Signatures {
  const keysOf = new Map(
    Object.entries(peers).map(([peer, { webhookSecrets }]) => [
      peer,
      webhookSecrets.map((secret) => signingKey(secret.reveal())),
    ]),
  );
  return {
    standard(headers, raw, peer) {
      const keys = keysOf.get(peer ?? "") ?? [];
      verifiedId(keys, { headers, raw, nowMs: clock.now() });
    },
    stripe(headers, raw) {
      if (!billing.platform) throw new ServiceError("signature_invalid");
      billing.platform.verifyHook(raw, headers["stripe-signature"]?.toString());
    },
  };
}

const systemKeysOf = ({ ingest, edge, media, billing }: PeerSecrets["peers"]): SystemKeys => {
  const revealed = ({ keys }: { keys: readonly Secret[] }) => keys.map((key) => key.reveal());
  return {
    ingest: revealed(ingest),
    edge: revealed(edge),
    media: revealed(media),
    billing: revealed(billing),
  };
};

function developmentPages(
  { core, site, development }: { core: Core; site: PageSite; development: Development | null },
  admit: AdmitPages,
): Router[] {
  if (development === null) return [];
  const { publicUrl } = site;
  const { evening } = development;
  return [
    ...(evening ? [demoButton({ site, evening }, admit)] : []),
    ...(core.edge.url === ownEdgeOf(publicUrl) ? [developmentEdge(core, admit)] : []),
  ];
}

/** Serves the REST API on its port; WebSocket upgrades are handed over to the realtime workers of this machine. */
export async function serveApi(deps: {
  core: Core;
  config: Pick<Config, "http" | "limits" | "secrets" | "ingest" | "apps" | "instance">;
  socketFolder: string;
  /** For the front page; null in production. */
  development?: Development | null;
  checkResponses?: boolean;
  /** Whether workers of every kind are ready, for `/healthz`; omitted where there are no workers. */
  isComplete?: () => boolean;
  /** What balancers may send here, for `/servez`; omitted likewise. */
  serving?: () => Serving;
  onAnswered?: (answered: Answered) => void;
  onRefused?: (refused: RestRefusal) => void;
  onCachedRead?: (read: CachedRead) => void;
  /** See `AppDeps`. */
  slots?: RequestSlots;
  /** See `AppDeps`. */
  now?: () => number;
}): Promise<HttpServer> {
  const { core, config, development = null } = deps;
  const { http, limits, secrets, ingest } = config;
  const { publicUrl } = core.seo;
  const instance = instanceFrom(config.instance);
  const site = { publicUrl, name: instance.name, logo: instance.logo };
  const now = deps.now ?? (() => performance.now());
  const web = readWebFiles(join(projectRoot, "web/dist"));
  const roomWaits = createRoomLongPollClient({ socketFolder: deps.socketFolder, log: core.log });
  const server = await serveHttp({
    host: http.host,
    port: http.port,
    trustedProxies: http.trustedProxies,
    allowedOrigins: http.allowedOrigins,
    plainCookiesHere: http.plainCookiesHere,
    cookieDomain: http.cookieDomain,
    socketFolder: deps.socketFolder,
    openFiles: openFilesBudget(),
    tokens: core.tokens,
    staff: core.staff,
    twoFactor: core.twoFactor,
    redis: core.redis,
    log: core.log,
    audit: core.audit,
    systemKeys: systemKeysOf(secrets.peers),
    cursorsOf: createListCursors(masterKeysOf(config)),
    signatures: hookSignatures(core, secrets.peers),
    readFile: core.readFile,
    publicUrl,
    instance: site,
    guides: join(projectRoot, "docs"),
    pages: (admit, read) => [
      ...developmentPages({ core, site, development }, admit),
      assetFiles(web, admit),
      logoFile(instance, admit),
      aboutPages({ publicUrl, instance }, admit),
      embedPages({ web, channelOf: (name) => core.seo.embedded(name), edgeUrl: core.edge.url }, admit),
      seoPages(core.seo, admit),
      // Its routes match any one-segment path, so it comes last.
      sitePages(
        {
          web,
          seo: core.seo,
          clips: core.clips,
          read,
          edgeUrl: core.edge.url,
          instance,
          takesPayments: core.billing.platform !== null,
          development,
        },
        admit,
      ),
    ],
    rateLimitFactor: limits.factor,
    checkResponses: deps.checkResponses ?? false,
    ...(deps.onAnswered ? { onAnswered: deps.onAnswered } : {}),
    ...(deps.onRefused ? { onRefused: deps.onRefused } : {}),
    ...(deps.onCachedRead ? { onCachedRead: deps.onCachedRead } : {}),
    ...(deps.slots ? { slots: deps.slots } : {}),
    now,
    routes: (operations) =>
      registerRoutes(operations, {
        ...core,
        cookies: { domain: http.cookieDomain },
        roomWaits,
        networks: ingestNetworks(ingest.networks),
        apps: config.apps,
        instance,
        publicUrl,
        isComplete: deps.isComplete ?? (() => true),
        serving: deps.serving ?? (() => ({ rest: true, sockets: true })),
      }),
  });
  return {
    ...server,
    drain(times) {
      roomWaits.close();
      return server.drain(times);
    },
  };
}
