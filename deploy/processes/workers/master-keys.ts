import type { MasterKey } from "../../../actors/keys/sealing.ts";
import type { Config } from "../config/config.ts";

/** The keys of the configuration: the first seals, the others only open. */
export const masterKeysOf = ({
  secrets: { masterKey, oldMasterKeys },
}: Pick<Config, "secrets">): MasterKey => [masterKey.reveal(), ...oldMasterKeys.map((key) => key.reveal())];
