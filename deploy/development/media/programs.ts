import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { type Environment, processEnvironment } from "../../processes/config/environment.ts";
import { programEnvironment } from "../../processes/process/child-environment.ts";
import { StartError } from "../../processes/process/start-error.ts";

/** The programs that the media service needs. */
export type MediaPrograms = {
  nginx: string;
  /** Path of nginx's rtmp module. */
  rtmpModule: string;
  ffmpeg: string;
  ffprobe: string;
};

const execute = promisify(execFile);
const PACKAGES = "apt-get install nginx libnginx-mod-rtmp ffmpeg";
/** nginx's folder is often only on root's PATH. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];
const MODULE = "ngx_rtmp_module.so";
const MODULE_FOLDERS = ["/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/usr/local/libexec/nginx"];

/** Throws a StartError that names what is missing, and how to install it on Debian. */
export async function findMediaPrograms(env: Environment): Promise<MediaPrograms> {
  const found = {
    nginx: onPath("nginx", env),
    ffmpeg: onPath("ffmpeg", env),
    ffprobe: onPath("ffprobe", env),
  };
  const rtmpModule = found.nginx && (await moduleOf(found.nginx));
  const missing = Object.entries({ ...found, "nginx's rtmp module": rtmpModule })
    .filter(([, path]) => path === null)
    .map(([name]) => name);
  const { nginx, ffmpeg, ffprobe } = found;
  if (!nginx || !ffmpeg || !ffprobe || !rtmpModule)
    throw new StartError(`The media service lacks ${missing.join(", ")}. On Debian: ${PACKAGES}`);
  return { nginx, rtmpModule, ffmpeg, ffprobe };
}

async function moduleOf(nginx: string): Promise<string | null> {
  const { stderr } = await execute(nginx, ["-V"], {
    timeout: 15_000,
    env: programEnvironment(processEnvironment()),
  });
  const [, folder] = /--modules-path=(\S+)/.exec(stderr) ?? [];
  const folders = folder === undefined ? MODULE_FOLDERS : [folder, ...MODULE_FOLDERS];
  return folders.map((one) => join(one, MODULE)).find((file) => existsSync(file)) ?? null;
}

function onPath(command: string, env: Environment): string | null {
  const folders = [...(env.PATH ?? "").split(delimiter).filter(isAbsolute), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, command)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
