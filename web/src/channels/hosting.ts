import type { Subscription } from "@livecore/client";
import { signal } from "@preact/signals";
import type { RoomPart } from "../chat/room.ts";
import type { Schemas } from "../site/page-data.ts";

type Target = Pick<Schemas["HostUserSummary"], "id" | "username">;

/** Whom a channel hosts: as it was when the page was made, and as its room says from then on. */
export class Hosting implements RoomPart {
  readonly target = signal<Target | null>(null);
  readonly #host: Schemas["ChannelProfile"];

  constructor({ profile, hosting }: Pick<Schemas["Channel"], "profile" | "hosting">) {
    this.#host = profile;
    this.target.value = hosting?.target_user ?? null;
  }

  follow(topic: Subscription<`chat:${string}`>): (() => void)[] {
    return [
      topic.on("subscribed", ({ data: { state } }) => {
        // Absent if the service couldn't read it in time.
        if (state.hosting !== undefined) this.#set(state.hosting?.target_user ?? null);
      }),
      topic.on("host.started", ({ data: { host_user: host, target_user: target } }) => {
        if (host.id === this.#host.id) this.#set(target);
      }),
      topic.on("host.ended", ({ data }) => {
        if (data.host_user_id === this.#host.id && data.target_user_id === this.target.peek()?.id)
          this.#set(null);
      }),
    ];
  }

  #set(target: Target | null): void {
    if (target?.id !== this.target.peek()?.id) this.target.value = target;
  }
}
