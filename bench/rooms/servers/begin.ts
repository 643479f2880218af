/** A peer's server process: it receives its setting, and reports the port on which it listens. */
export type PeerSetting = { redisUrl: string; paced: boolean };

export async function begin(listen: (setting: PeerSetting) => Promise<number>): Promise<void> {
  process.once("disconnect", () => process.exit(0));
  const setting = await new Promise<PeerSetting>((resolve) => process.once("message", resolve));
  process.send?.({ port: await listen(setting) });
}
