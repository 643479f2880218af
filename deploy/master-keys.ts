import type { MasterKey } from "../actors/identity/sealing.ts";
import type { Config } from "./config/config.ts";

/** What seals, and what only opens, from the configuration. */
export const masterKeysOf = ({
  secrets: { masterKey, oldMasterKeys },
}: Pick<Config, "secrets">): MasterKey => [masterKey.reveal(), ...oldMasterKeys.map((key) => key.reveal())];
