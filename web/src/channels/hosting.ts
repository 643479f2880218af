import type { Subscription } from "@livecore/client";
import { signal } from "@preact/signals";
import type { RoomPart } from "../chat/room.ts";
import type { Schemas } from "../site/page-data.ts";
import { client } from "../site/session.ts";

type Target = Pick<Schemas["HostUserSummary"], "id" | "username">;

/** Whom a channel hosts: as it was when the page was made, and as its room says from then on. */
export class Hosting implements RoomPart {
  readonly target = signal<Target | null>(null);
  readonly #host: Schemas["ChannelProfile"];
  /** Changes with each event, which an answer may be older than. */
  #version = 0;

  /** What is live hosts nobody, so that most pages have nothing to ask. */
  readonly #mayHost: boolean;

  constructor({ profile, stream, hosting }: Pick<Schemas["Channel"], "profile" | "stream" | "hosting">) {
    this.#host = profile;
    this.#mayHost = !stream.is_live;
    this.target.value = hosting?.target_user ?? null;
  }

  follow(topic: Subscription<`chat:${string}`>): void {
    topic.on("subscribed", ({ data: { recovered } }) => {
      if (recovered === false || (recovered === null && this.#mayHost)) void this.#read();
    });
    topic.on("host.started", ({ data: { host_user: host, target_user: target } }) => {
      if (host.id === this.#host.id) this.#set(target);
    });
    topic.on("host.ended", ({ data }) => {
      if (data.host_user_id === this.#host.id && data.target_user_id === this.target.peek()?.id)
        this.#set(null);
    });
  }

  #set(target: Target | null): void {
    this.#version++;
    if (target?.id !== this.target.peek()?.id) this.target.value = target;
  }

  async #read(): Promise<void> {
    const version = this.#version;
    const path = { username: this.#host.username };
    const answer = await client.attempt("getHosting", { path }).catch(() => null);
    if (!answer || version !== this.#version) return;
    if (answer.ok) this.#set(answer.data.target_user);
    else if (answer.status === 404) this.#set(null);
  }
}
