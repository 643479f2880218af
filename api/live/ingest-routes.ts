import type { IngestNetworks } from "../../actors/live/ingest/networks.ts";
import { readNginxRtmpHook, readNginxRtmpUpdate } from "../../actors/live/ingest/nginx-rtmp.ts";
import { ServiceError } from "../../contract/errors.ts";
import { type Operations, reply } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function ingestRoutes(
  { bind }: Operations,
  { ingest, networks }: RouteDeps & { networks: IngestNetworks },
): void {
  function requireNetwork(ip: string): void {
    if (!networks.has(ip)) throw new ServiceError("forbidden");
  }

  bind("ingestPublish", async ({ rawBody, query, ip }) => {
    requireNetwork(ip);
    const streamId = await ingest.publish(readNginxRtmpHook(rawBody, "publish"));
    // nginx-rtmp takes a location without a scheme as the stream's new name: the key shows in no manifest, relay or statistic.
    if (query.rename === "1") return reply({ status: 302, headers: { location: streamId } });
    return { accepted: true };
  });

  bind("ingestPublishDone", async ({ rawBody, ip }) => {
    requireNetwork(ip);
    await ingest.publishDone(readNginxRtmpHook(rawBody, "publish_done"));
    return { accepted: true };
  });

  bind("ingestUpdate", async ({ rawBody, ip }) => {
    requireNetwork(ip);
    const publisher = readNginxRtmpUpdate(rawBody);
    if (publisher) await ingest.publisherUpdate(publisher);
    return { accepted: true };
  });
}
