import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../../../deploy/processes/config/project.ts";

const run = promisify(execFile);
const git = (...args: string[]) => run("git", args, { cwd: projectRoot });

/** Checks out the commit or tag in OLDER_RELEASE below `folder`; its first start installs and builds it. */
export async function checkOutOlder(folder: string) {
  const { OLDER_RELEASE: older } = process.env;
  if (!older) throw new Error("OLDER_RELEASE is missing: a tag or commit of the release to update from");
  const place = join(folder, "older");
  await git("worktree", "add", "--detach", place, older);
  return {
    folder: place,
    remove: async () => void (await git("worktree", "remove", "--force", place)),
  };
}
