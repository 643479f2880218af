import { signedHeaders } from "../../../actors/hooks/signatures.ts";
import { FIRST_PICTURE_MS } from "../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../base/ids.ts";
import type { CallOptions } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import type { IdentityProvider } from "../../support/identity-provider.ts";
import type { World } from "../../support/world.ts";
import type { People } from "./people.ts";

export type Toolbox = ReturnType<typeof openToolbox>;

/** What requests of several resources are made with: the people of the table, and what several contexts need first. */
export function openToolbox(world: World, people: People, provider: IdentityProvider) {
  const { at, owner, target } = people;

  /** A hook of the ingest server about this channel. */
  async function ingestHook(call: string, publisher = owner): Promise<CallOptions> {
    const { stream_key } = await publisher.api.ok("getMyStream");
    return { headers: FORM, body: `app=ingest&addr=127.0.0.1&clientid=1&call=${call}&name=${stream_key}` };
  }

  async function goLive(publisher: Person): Promise<void> {
    if ((await world.core.channels.requireOf(publisher.id)).isLive) return;
    const { headers, ...published } = await ingestHook("publish", publisher);
    await world.api.ok("ingestPublish", {
      ...published,
      headers: { ...headers, "x-system-key": world.ingestKey },
    });
    world.clock.move(FIRST_PICTURE_MS);
    await eventually(async () => (await publisher.api.ok("getMyStream")).is_live, {
      what: "a channel goes live",
    });
  }

  return {
    world,
    people,
    provider,
    ingestHook,
    goLive,

    /** Another user's live channel. */
    async liveTarget(): Promise<{ target_user_id: string }> {
      await goLive(target);
      return { target_user_id: target.id };
    },

    /** A signed report of a type that is ignored. */
    unknownReport(peer: "media" | "billing"): CallOptions {
      const [secret] = world.webhookSecrets[peer];
      const id = newId();
      const event = { id, type: "nothing.known", created_at: new Date().toISOString(), data: {} };
      const body = JSON.stringify(event);
      return { body, headers: signedHeaders(secret, id, body, world.clock.now()) };
    },

    /** Watches the owner's channel long enough for a bonus. */
    async watch(userId: string): Promise<void> {
      const watched = { userId, channelUserId: owner.id, streamId: at.stream_id };
      for (const window of [1, 2, 3]) await world.core.points.earnPresence({ ...watched, window });
    },
  };
}

export const FORM = { "content-type": "application/x-www-form-urlencoded" };
