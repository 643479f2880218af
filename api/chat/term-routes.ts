import type { Origin } from "../../base/audit.ts";
import type { ChatBlockedTerm, NewBlockedTerm } from "../../contract/wire.ts";
import { isSearchable } from "../../realtime/rooms/config/literal-terms.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { BlockedTermDoc } from "../../store/mongo/chat/blocked-terms.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

type InRoom = { stream: StreamDoc; caller: { userId: string }; origin: Origin };

/** The blocked terms that a room's messages are checked against. */
export function termRoutes({ bind, bindPage }: Operations, { moderation }: RouteDeps): void {
  const { blockedTerms } = moderation;

  bindPage("listBlockedTerms", ({ stream }, range) =>
    mapPage(blockedTerms.page(stream._id, range), termView),
  );

  bind("addBlockedTerm", async (request) => {
    return termView(await blockedTerms.add(moderatingIn(request), draftOf(request.body)));
  });

  bind("updateBlockedTerm", async (request) => {
    const { term, is_regex: isRegex, action } = request.body;
    const change = {
      ...(term === undefined ? {} : { term }),
      ...(isRegex === undefined ? {} : { isRegex }),
      ...(action === undefined ? {} : { action }),
    };
    return termView(await blockedTerms.change(moderatingIn(request), request.params.term_id, change));
  });

  bind("deleteBlockedTerm", async (request) => {
    await blockedTerms.remove(moderatingIn(request), request.params.term_id);
    return { success: true };
  });

  bind("testBlockedTerms", async ({ stream, body }) => {
    const { texts, is_verified: isEmailVerified = false, draft } = body;
    const tested = await blockedTerms.test(stream._id, {
      texts,
      author: { isEmailVerified },
      draft: draft ? draftOf(draft) : null,
    });
    return {
      items: tested.map(({ text, effect, by, isByDraft }) => ({
        text,
        verdict: effect === null || effect === "allow" ? ("pass" as const) : effect,
        term: by && termView(by),
        ...(draft && { by_draft: isByDraft }),
      })),
    };
  });
}

const draftOf = ({ term, is_regex: isRegex = false, action = "block" }: NewBlockedTerm) => ({
  term,
  isRegex,
  action,
});

const moderatingIn = ({ stream, caller, origin }: InRoom) => ({
  streamId: stream._id,
  by: caller.userId,
  origin,
});

function termView({
  _id,
  channelId,
  term,
  isRegex,
  action,
  createdBy,
  createdAt,
}: BlockedTermDoc): ChatBlockedTerm {
  return {
    id: _id,
    channel_id: channelId,
    term,
    is_regex: isRegex,
    is_searchable: isRegex || isSearchable(term),
    action,
    created_by: createdBy,
    created_at: createdAt.toISOString(),
  };
}
