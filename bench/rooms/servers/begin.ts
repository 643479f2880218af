/** A peer's server process: it is told how to serve, and says on which port it does. */
export type PeerSetting = { redisUrl: string; paced: boolean };

export async function begin(listen: (setting: PeerSetting) => Promise<number>): Promise<void> {
  process.once("disconnect", () => process.exit(0));
  const setting = await new Promise<PeerSetting>((resolve) => process.once("message", resolve));
  process.send?.({ port: await listen(setting) });
}
