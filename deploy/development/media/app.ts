import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type RequestHandler } from "express";
import { signingKey, verifiedId } from "../../../actors/hooks/signatures.ts";
import { validatorOf } from "../../../actors/host/schemas.ts";
import { namesThisMachine } from "../../processes/process/local-host.ts";
import type { ClipCutter } from "./clip-cutter.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { MediaFiles } from "./media-files.ts";
import type { Recordings } from "./recordings.ts";
import { MEDIA_REQUEST, type MediaRequest } from "./requests.ts";

const MAX_BODY = "64kb";
const STREAM_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Suffix of the source quality, which is passed through unchanged: it begins and ends with the stream. */
const SOURCE = "_src";

type Deps = {
  live: Pick<LiveStreams, "started" | "ended" | "deleteThumbnails">;
  recordings: Pick<Recordings, "finish" | "remove">;
  clips: Pick<ClipCutter, "take" | "remove">;
  files: Pick<MediaFiles, "setVisibility">;
  /** They sign the service's requests. */
  secrets: readonly string[];
  complain: (line: string) => void;
};

/** Receives nginx's hooks about streams and the service's requests. For this machine only. */
export function createMediaApp(deps: Deps): express.Express {
  const { live, recordings, clips, files, secrets, complain } = deps;
  const app = express();
  const keys = secrets.map(signingKey);
  const isRequest = (value: unknown): value is MediaRequest => validatorOf(MEDIA_REQUEST)(value);
  app.disable("x-powered-by");
  // Web pages in a browser on this machine could post forms here as well, but they send an Origin header; nginx doesn't.
  app.use((req, res, next) => {
    const isOurs = req.headers.origin === undefined && namesThisMachine(req.headers.host);
    return isOurs ? next() : res.sendStatus(403);
  });

  const field = (body: unknown, name: string): string => {
    const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  const ofStream =
    (act: (streamId: string) => void): RequestHandler =>
    (req, res) => {
      const name = field(req.body, "name");
      const streamId = name.endsWith(SOURCE) ? name.slice(0, -SOURCE.length) : "";
      if (STREAM_ID.test(streamId)) act(streamId);
      res.sendStatus(204);
    };
  const form = express.urlencoded({ extended: false, limit: MAX_BODY });
  app.post("/published", form, ofStream(live.started));
  app.post("/ended", form, ofStream(live.ended));
  app.post("/recorded", form, (req, res) => {
    // `name` is the stream key that the publisher used; the file is named by the stream's public id.
    const file = field(req.body, "path");
    recordings.finish(file).catch((err: unknown) => complain(`the recording ${file}: ${String(err)}`));
    res.sendStatus(204);
  });

  /** Returns the status of the answer. Idempotent. */
  function handle({ type, data }: MediaRequest): number {
    switch (type) {
      case "clip.create":
        return clips.take(data) ? 202 : 503;
      case "clip.set_visibility":
        files.setVisibility(data.clip_id, data.visibility);
        return 204;
      case "clip.delete":
        clips.remove(data.clip_id);
        return 204;
      case "recording.set_visibility":
        files.setVisibility(data.media_recording_id, data.visibility);
        return 204;
      case "recording.delete":
        recordings.remove(data.media_recording_id);
        return 204;
      case "stream.delete_thumbnails":
        live.deleteThumbnails(data.stream_id, Date.parse(data.taken_until));
        return 204;
    }
  }

  app.post("/clips", express.raw({ type: () => true, limit: MAX_BODY }), (req, res) => {
    const raw: unknown = req.body;
    if (!Buffer.isBuffer(raw)) return void res.sendStatus(400);
    try {
      verifiedId(keys, { headers: req.headers, raw, nowMs: Date.now() });
    } catch {
      return void res.sendStatus(401);
    }
    const request: unknown = JSON.parse(raw.toString());
    res.sendStatus(isRequest(request) ? handle(request) : 400);
  });
  return app;
}

/** Listens on a free port of this machine. */
export async function listen(app: express.Express): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
