import type { Db } from "mongodb";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Meter } from "../../base/metrics.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { AnyDefinition } from "./definition.ts";
import type { Host } from "./host.ts";
import type { OnProgress } from "./progress.ts";

/** Whether the room of a channel would show this text of that user now. */
export type ShowsMessage = (
  channel: { _id: string; userId: string },
  said: { by: string; message: string },
) => Promise<boolean>;

/** What a definition may take, by these names. */
export type DefinitionDeps = { db: Db; log: Log; meter: Meter; showsRaidMessage: ShowsMessage };

/** What the calls of a lifecycle may take, by these names, besides its definition. */
export type CallsDeps = {
  mongo: Mongo;
  host: Host;
  clock: Clock;
  log: Log;
  onProgress: OnProgress;
  /** Whether a media service reports when a broadcast has a picture. */
  waitsForMedia: boolean;
};

/**
 * One kind of actor, registered: `npm run generate` collects what is exported as `…Lifecycle` under the name before that word
 * (`pollsLifecycle` is `polls`). From there the host runs it, `npm run actors` and the upgrade job know it, its page is drawn, and
 * features, routes and specs get its calls by the name.
 *
 * Calls may have `roomState(streamId)`: the parts of a room's state that whoever subscribes to its chat gets of it; and `stop()`,
 * called when the process ends.
 */
export const defineLifecycle = <Definition extends AnyDefinition, Calls>(lifecycle: {
  define(deps: DefinitionDeps): Definition;
  open(deps: CallsDeps & { definition: Definition }): Calls;
}) => lifecycle;
