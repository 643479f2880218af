import { conversationView, whisperView } from "../../actors/chat/whispers/view.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function whisperRoutes({ bind, bindPage }: Operations, { whispers }: RouteDeps): void {
  bindPage("listWhisperConversations", ({ caller }, range) =>
    mapPage(whispers.inbox(caller.userId, range), conversationView),
  );

  bindPage("listWhispers", ({ caller, params }, range) =>
    mapPage(whispers.page(caller.userId, params.user_id, range), ({ doc, isRead }) =>
      whisperView(doc, isRead),
    ),
  );

  bind("sendWhisper", async ({ caller, params, body, idempotencyKey: key }) => {
    const spoken = { text: body.content, path: "/body/content", key };
    const sent = await whispers.send(caller.userId, params.user_id, spoken);
    return whisperView(sent, false);
  });

  bind("readWhispers", ({ caller, params }) => whispers.read(caller.userId, params.user_id));
}
