import { newId } from "../../../base/ids.ts";
import type { CallOptions } from "../../support/api.ts";
import { image } from "../../support/images.ts";
import type { OwnRequests, ResourceRequests } from "../authorization/resource-requests.ts";
import type { Toolbox } from "../authorization/toolbox.ts";
import { open, owners, type Row } from "./role-matrix/rows.ts";

/** Each request about emotes and badges that is prepared gets a new one. */
function setRequestsIn({ world: { core }, people: { at, target, owner, staff } }: Toolbox): OwnRequests {
  const { emoteSets, badgeSets, badgeGrants } = core;
  const name = () => newId().replaceAll("-", "").slice(0, 32);
  const origin = { ip: "127.0.0.1", userAgent: null, requestId: "made before" };
  const global = { staff: { userId: staff.id, origin } };
  const own = async () => ({ channel: await core.channels.requireOf(owner.id) });
  const bytes = async () => (await image()).body;

  const emoteIn = async (set: Parameters<typeof emoteSets.add>[0]) =>
    (await emoteSets.add(set, { name: name(), minTier: 0, bytes: await bytes() }))._id;

  /** To stay within the limit, the previous one is deleted. */
  const last = new Map<string, string>();
  async function badgeIn(set: Parameters<typeof badgeSets.add>[0]): Promise<string> {
    const key = "channel" in set ? "channel" : "global";
    const before = last.get(key);
    if (before) await badgeSets.remove(set, before).catch(() => "it is gone");
    const type = "channel" in set ? ("channel" as const) : ("special" as const);
    // Not one name: a global badge outlives its spec, and a channel's may not be named like it.
    const made = await badgeSets.add(set, { type, name: name(), color: null, bytes: await bytes() });
    last.set(key, made._id);
    return made._id;
  }

  async function granted(set: Parameters<typeof badgeSets.add>[0]): Promise<string> {
    const badgeId = await badgeIn(set);
    await badgeGrants.grant(set, { badgeId, userId: target.id }, null);
    return badgeId;
  }

  const upload = async (): Promise<CallOptions> => ({ query: { name: name() }, ...(await image()) });
  const user_id = target.id;
  const prepared: OwnRequests["prepared"] = {
    addChannelEmote: async () => ({ params: at, ...(await upload()) }),
    deleteChannelEmote: async () => ({ params: { ...at, emote_id: await emoteIn(await own()) } }),
    addGlobalEmote: upload,
    deleteGlobalEmote: async () => ({ params: { emote_id: await emoteIn(global) } }),
    addChannelBadge: async () => ({ params: at, ...(await upload()) }),
    deleteChannelBadge: async () => ({ params: { ...at, badge_id: await badgeIn(await own()) } }),
    grantChannelBadge: async () => ({ params: { ...at, badge_id: await badgeIn(await own()), user_id } }),
    revokeChannelBadge: async () => ({ params: { ...at, badge_id: await granted(await own()), user_id } }),
    addGlobalBadge: upload,
    deleteGlobalBadge: async () => ({ params: { badge_id: await badgeIn(global) } }),
    grantGlobalBadge: async () => ({ params: { badge_id: await badgeIn(global), user_id } }),
    revokeGlobalBadge: async () => ({ params: { badge_id: await granted(global), user_id } }),
  };
  return { prepared };
}

const NO_PICTURE: Row["request"] = () => ({
  query: { name: "nothing" },
  headers: { "content-type": "image/png" },
  body: new Uint8Array([1, 2, 3]),
});
const badgeOfSomebody: Row["request"] = ({ somebody }) => ({
  params: { badge_id: newId(), user_id: somebody.id },
});

export const setRequests: ResourceRequests = {
  requests: setRequestsIn,

  rows: [
    open("listGlobalEmotes"),
    open("listBadges"),
    open("listChannelEmotes"),
    owners("addChannelEmote", { request: NO_PICTURE }, { owner: "unsupported_media_type" }),
    owners(
      "deleteChannelEmote",
      { request: () => ({ params: { emote_id: newId() } }) },
      { owner: "not_found", staff: "not_found" },
    ),
    open("listChannelBadges"),
    owners("addChannelBadge", { request: NO_PICTURE }, { owner: "unsupported_media_type" }),
    owners(
      "deleteChannelBadge",
      { request: () => ({ params: { badge_id: newId() } }) },
      { owner: "not_found", staff: "not_found" },
    ),
    owners("grantChannelBadge", { request: badgeOfSomebody }, { owner: "not_found" }),
    owners("revokeChannelBadge", { request: badgeOfSomebody }, { owner: "not_found" }),
  ],
};
