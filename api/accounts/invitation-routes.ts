import { userSummary } from "../../actors/accounts/profile/views.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Invitation } from "../../contract/wire.ts";
import type { InvitationDoc } from "../../store/mongo/accounts/invitations.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { Operations } from "../http/bind.ts";
import { mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import type { Instance } from "../system/instance/instance.ts";

export function invitationRoutes(
  { bind, bindPage }: Operations,
  { invitations, directory, instance }: RouteDeps & { instance: Instance },
): void {
  async function views(docs: InvitationDoc[]): Promise<Invitation[]> {
    const users = await directory.usersByIds(docs.flatMap(({ createdBy }) => createdBy ?? []));
    return docs.map((doc) => invitationView(doc, users));
  }

  bindPage("listInvitations", (_request, range) => mapPageBatch(invitations.page(range), views));

  bind("createInvitation", async ({ caller: { userId }, body, origin }) => {
    if (instance.signUp === "closed") throw new ServiceError("sign_up_closed");
    const { max_uses: maxUses, expires_at: expiry, note } = body;
    const expiresAt = expiry === undefined ? undefined : new Date(expiry);
    const { doc, code } = await invitations.create({ maxUses, expiresAt, note }, { userId, origin });
    const users = await directory.usersByIds([userId]);
    return { ...invitationView(doc, users), code };
  });

  bind("revokeInvitation", ({ caller: { userId }, params, origin }) =>
    invitations.revoke(params.invitation_id, { userId, origin }),
  );
}

function invitationView(doc: InvitationDoc, users: ReadonlyMap<string, UserWithoutSecrets>): Invitation {
  const creator = doc.createdBy === null ? undefined : users.get(doc.createdBy);
  return {
    id: doc._id,
    max_uses: doc.maxUses,
    uses: doc.uses,
    created_at: doc.createdAt.toISOString(),
    expires_at: doc.expiresAt.toISOString(),
    ...(doc.note === null ? {} : { note: doc.note }),
    ...(creator ? { created_by: userSummary(creator) } : {}),
  };
}
