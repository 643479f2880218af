import speakeasy from "speakeasy";
import { operate } from "../../support/operate.ts";
import type { Service } from "../../support/service.ts";
import type { openStudio } from "../../support/studio.ts";
import { type Account, enrol } from "./evening.ts";

type Studio = Awaited<ReturnType<typeof openStudio>>;
type Of = (username: string) => Promise<Account>;

/** What the channel's crew has to do in that evening: messages to review, people timed out and banned, notes, an overlay, a marker. */
export async function busyEvening({ client, streamId }: Studio, of: Of): Promise<void> {
  const path = { stream_id: streamId };
  await client.call("addBlockedTerm", { path, body: { term: "cheap", action: "hold" } });
  for (const [name, content] of [
    ["grace_l", "cheap followers, ask me"],
    ["barbara_l", "that laptop was cheap, by the way"],
  ] as const)
    await (await of(name)).client.call("sendChatMessage", { path, body: { content } });
  const [troll, bot] = [await of("joe_t"), await of("sell_it")];
  for (const { client: own } of [troll, bot])
    await own.call("sendChatMessage", { path, body: { content: "this is boring" } });
  const note = { text: "Was warned on Tuesday, and was kind about it." };
  await client.call("createMemberNote", { path: { ...path, user_id: troll.id }, body: note });
  await client.call("timeoutUser", {
    path: { ...path, user_id: troll.id },
    body: { duration_seconds: 3_600, reason: "Once is enough" },
  });
  await client.call("banUser", { path: { ...path, user_id: bot.id }, body: { reason: "Sells followers" } });
  await bot.client.call("createUnbanRequest", { path, body: { message: "It was my brother, honestly." } });
  await client.call("createOverlay", { path, body: { kind: "alerts", name: "Main scene" } });
  await client.call("createMarker", { path, body: { description: "The third valley" } });
}

/** A staff member with recovery codes, and what was reported to them. */
export async function staffed(service: Service, { streamId }: Studio, of: Of) {
  const [viewer, troll] = [await of("ada_l"), await of("joe_t")];
  await troll.client.call("updateMe", { body: { bio: "I know where you stream." } });
  const details = "Threatens everybody who talks with me.";
  for (const [who, reason_code] of [
    [viewer, "harassment"],
    [await of("grace_l"), "violence"],
  ] as const)
    await who.client.call("createReport", {
      body: { target_type: "user", target_id: troll.id, reason_code, details },
    });
  await viewer.client.call("createReport", {
    body: { target_type: "stream", target_id: streamId, reason_code: "other", details: "Too deep." },
  });
  await troll.client.call("updateMe", { body: { bio: "Welcome!" } });
  const staff = await enrol(service, "alan_t");
  const { secret, recovery_codes: recoveryCodes = [] } = await staff.client.call("setUpTwoFactor");
  const code = speakeasy.totp({ secret, encoding: "base32" });
  await staff.client.call("verifyTwoFactor", { body: { code } });
  const where = { home: service.env.LIVECORE_HOME ?? "", database: service.env.MONGODB_DATABASE ?? "" };
  const granted = await operate("deploy/commands/staff", ["grant", staff.username], where);
  if (granted.code !== 0) throw new Error(granted.stderr);
  return { username: staff.username, authenticator: { secret, recoveryCodes } };
}
