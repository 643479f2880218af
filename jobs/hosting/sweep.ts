import type { Hosting } from "../../actors/channels/hosting.ts";
import type { Log } from "../../store/log.ts";
import { repeat } from "../repeat.ts";

type Deps = { hosting: Pick<Hosting, "sweep">; log: Log; intervalMs?: number };

/** Auto-hosts of channels whose broadcast has ended, and the end of those whose target has. Every `jobs` worker does it; it is idempotent. */
export const startHostingSweep = ({ hosting, log, intervalMs = 5_000 }: Deps) =>
  repeat("hosting", hosting.sweep, intervalMs, log);
