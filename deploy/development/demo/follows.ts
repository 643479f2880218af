import { atOnce } from "./at-once.ts";
import { type Stage, signedIn } from "./stage.ts";

export const FOLLOW_POINTS = 300;

export async function followAll(stage: Stage): Promise<void> {
  const followers = signedIn(stage.viewers);
  let done = 0;
  await atOnce(8, followers, async ({ account }) => {
    await account.client.call("followUser", { path: { user_id: stage.creator.userId } });
    stage.progress.show(`following: ${++done}/${followers.length}`);
  });
  stage.progress.done(`${followers.length} viewers follow, ${FOLLOW_POINTS} points each`);
}
