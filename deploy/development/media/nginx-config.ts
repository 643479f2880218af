import { UPDATE_INTERVAL_MS } from "../../../actors/live/live-stream/publisher-lease.ts";
import { keyIdOf } from "../../../actors/live/playback/edge-links.ts";

export type MediaFolders = {
  /** nginx's own files: its pid and its log. */
  nginx: string;
  /** Live streams: `<stream>.m3u8`, and a folder of segments per quality. */
  live: string;
  /** Ended broadcasts: a folder each, named by the recording's id. */
  recordings: string;
  /** What nginx records while somebody publishes. */
  raw: string;
  /** Files of clips, and pictures of recordings (media-files.ts). */
  files: string;
  /** Clips from before they had folders; not served (older-files.ts). */
  olderClips: string;
  /** Pictures of live streams, which everybody may see. */
  thumbnails: string;
};

type NginxSettings = {
  folders: MediaFolders;
  rtmpModule: string;
  ffmpeg: string;
  /** When nginx runs as root, its workers would switch to another user, who couldn't read our folders. */
  isRoot: boolean;
  rtmpPort: number;
  httpPort: number;
  /** Base URL of the service, without a trailing slash. */
  serviceUrl: string;
  /** Authenticates the RTMP server to the service. */
  ingestKey: string;
  /** Base URL of the media service itself, which receives hooks about streams. */
  ownUrl: string;
  edgeKeys: readonly string[];
};

/** The qualities of a stream, and the bandwidth that the manifest declares for each, bits per second. */
export const QUALITIES = [
  { suffix: "src", bandwidth: 3_500_000 },
  { suffix: "mid", bandwidth: 800_000 },
] as const;
export type QualitySuffix = (typeof QUALITIES)[number]["suffix"];

/**
 * How a stream passes through nginx-rtmp:
 * 1. `ingest` asks the service about the key, and from then on uses the stream's public id as its name;
 * 2. the stream is recorded unchanged, and ffmpeg publishes it to `live`, unchanged and downscaled;
 * 3. `live` makes HLS of both, with a master manifest;
 * 4. the HTTP part serves it under signed URLs: one signature covers everything of a stream or recording.
 */
export function nginxConfig(settings: NginxSettings): string {
  return [
    `load_module ${quoted(settings.rtmpModule)};`,
    ...(settings.isRoot ? ["user root;"] : []),
    "daemon off;",
    "worker_processes 1;",
    `pid ${quoted(`${settings.folders.nginx}/nginx.pid`)};`,
    `error_log ${quoted(`${settings.folders.nginx}/error.log`)} warn;`,
    "events { worker_connections 1024; }",
    rtmp(settings),
    http(settings),
    "",
  ].join("\n");
}

/** nginx-rtmp can't send headers of ours, so the key is in the query. */
const ingestHook = ({ serviceUrl, ingestKey }: NginxSettings, name: string, more = ""): string =>
  quoted(`${serviceUrl}/v1/webhooks/ingest/${name}?${more}${new URLSearchParams({ system_key: ingestKey })}`);

function rtmp(settings: NginxSettings): string {
  const { folders, ffmpeg, rtmpPort, httpPort, ownUrl } = settings;
  const own = `rtmp://127.0.0.1:${rtmpPort}`;
  const variants = QUALITIES.map(
    ({ suffix, bandwidth }) => `      hls_variant _${suffix} BANDWIDTH=${bandwidth};`,
  );
  const smaller =
    "-vf scale=-2:360 -c:v libx264 -preset ultrafast -tune zerolatency -b:v 600k -maxrate 700k -bufsize 1400k -g 50 -c:a aac -b:a 96k";
  return `
rtmp {
  access_log off;
  server {
    listen 127.0.0.1:${rtmpPort};
    chunk_size 4096;
    application ingest {
      live on;
      notify_method post;
      on_publish ${ingestHook(settings, "publish", "rename=1&")};
      on_publish_done ${ingestHook(settings, "publish-done")};
      on_update http://127.0.0.1:${httpPort}/ingest-update;
      notify_update_timeout ${UPDATE_INTERVAL_MS / 1_000}s;
      allow play 127.0.0.1;
      deny play all;
      record all;
      record_path ${quoted(folders.raw)};
      record_unique on;
      record_suffix .flv;
      on_record_done ${ownUrl}/recorded;
      exec_push ${quoted(ffmpeg)} -nostdin -loglevel error -i ${own}/ingest/$name -c copy -f flv ${own}/live/\${name}_src ${smaller} -f flv ${own}/live/\${name}_mid;
    }
    application live {
      live on;
      notify_method post;
      on_publish ${ownUrl}/published;
      on_publish_done ${ownUrl}/ended;
      allow publish 127.0.0.1;
      deny publish all;
      deny play all;
      hls on;
      hls_path ${quoted(folders.live)};
      hls_nested on;
      hls_fragment 2s;
      hls_playlist_length 96s;
      hls_cleanup on;
${variants.join("\n")}
    }
  }
}`;
}

const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const signed = (media: string) =>
  `^/hls/(?<key>[0-9a-f]{8})/(?<sig>[A-Za-z0-9_-]+)/(?<exp>[0-9]+)/(?<media>${media})`;
const SIGNED = signed(ID);
const SIGNED_FILES = signed(`${ID}_(?:public|private)`);
const CHECKED = `
      secure_link $sig,$exp;
      secure_link_md5 "$secure_link_expires $media $edge_secret";
      if ($edge_secret = "") { return 403; }
      if ($secure_link = "") { return 403; }
      if ($secure_link = "0") { return 410; }`;

/** nginx creates these folders in any case, by default in places where only root may write. */
const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

function http(settings: NginxSettings): string {
  const { folders, httpPort, edgeKeys } = settings;
  const suffixes = QUALITIES.map(({ suffix }) => suffix).join("|");
  return `
http {
  access_log off;
  server_tokens off;
  types {
    application/vnd.apple.mpegurl m3u8;
    video/mp2t ts;
    video/mp4 mp4;
    image/jpeg jpg;
  }
  default_type application/octet-stream;
${TEMPORARY.map((kind) => `  ${kind}_temp_path ${quoted(`${folders.nginx}/${kind}`)};`).join("\n")}
  map $key $edge_secret {
    default "";
${edgeKeys.map((secret) => `    ${quoted(keyIdOf(secret))} ${quoted(secret)};`).join("\n")}
  }
  server {
    listen 127.0.0.1:${httpPort};
    listen [::1]:${httpPort};
    add_header Access-Control-Allow-Origin * always;
    add_header X-Content-Type-Options nosniff always;
    # A page of another site can make a name of its own lead here.
    if ($host !~ "^(localhost|127\\.0\\.0\\.1|\\[::1\\])$") { return 421; }
    location = /health { return 204; }
    location ~ "${SIGNED}/index\\.m3u8$" {${CHECKED}
      add_header Access-Control-Allow-Origin * always;
      add_header Cache-Control no-cache always;
      root ${quoted(rootOf(folders))};
      try_files /live/$media.m3u8 /recordings/$media/index.m3u8 =404;
    }
    location ~ "${SIGNED}/\\k<media>_(?<quality>${suffixes})/(?<file>[A-Za-z0-9_-]+\\.(?:m3u8|ts))$" {${CHECKED}
      add_header Access-Control-Allow-Origin * always;
      add_header Cache-Control no-cache always;
      root ${quoted(rootOf(folders))};
      try_files /live/$\{media}_$quality/$file =404;
    }
    location ~ "${SIGNED}/(?<file>[A-Za-z0-9_-]+\\.ts)$" {${CHECKED}
      add_header Access-Control-Allow-Origin * always;
      root ${quoted(rootOf(folders))};
      try_files /recordings/$media/$file =404;
    }
    location ~ "${SIGNED_FILES}/(?<file>[A-Za-z0-9_-]+\\.(?:mp4|jpg))$" {${CHECKED}
      add_header Access-Control-Allow-Origin * always;
      root ${quoted(rootOf(folders))};
      try_files /files/$media/$file =404;
    }
    location ~ "^/thumbnails/${ID}-[0-9]+\\.jpg$" { root ${quoted(rootOf(folders))}; }
    location /control {
      allow 127.0.0.1;
      deny all;
      # Pages in a browser on this machine come from here as well, and say so.
      if ($http_sec_fetch_site) { return 403; }
      rtmp_control all;
    }
    # nginx-rtmp drops a publisher whose update gets no answer, even if it isn't strict. While the service is away, this answers.
    location = /ingest-update {
      allow 127.0.0.1;
      deny all;
      if ($http_sec_fetch_site) { return 403; }
      proxy_pass ${ingestHook(settings, "update")};
      proxy_connect_timeout 2s;
      proxy_send_timeout 2s;
      proxy_read_timeout 4s;
      proxy_intercept_errors on;
      error_page 429 500 502 503 504 = @service_away;
    }
    location @service_away { return 204; }
    location / { return 404; }
  }
}`;
}

/** The common parent folder of everything that is served. */
const rootOf = ({ live }: MediaFolders): string => live.slice(0, live.lastIndexOf("/"));

/**
 * Quotes a value for nginx's configuration. A `$` can't be escaped there: throws for values with variables, quotes, backslashes
 * or line breaks.
 */
function quoted(value: string): string {
  if (/[$"\\\r\n]/.test(value)) throw new Error(`nginx can't be configured with ${value.slice(0, 40)}`);
  return `"${value}"`;
}
