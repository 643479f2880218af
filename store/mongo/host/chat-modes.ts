/** Base chat settings (ChatModes in docs/interface.md#2-resources). Shield mode is an overlay: it never changes the others here. */
export type ChatModesDoc = {
  chatEnabled: boolean;
  slow: boolean;
  slowSeconds: number;
  followersOnly: boolean;
  followersMinutes: number;
  emoteOnly: boolean;
  uniqueChat: boolean;
  shieldMode: boolean;
};

export const defaultChatModes: ChatModesDoc = {
  chatEnabled: true,
  slow: false,
  slowSeconds: 30,
  followersOnly: false,
  followersMinutes: 0,
  emoteOnly: false,
  uniqueChat: false,
  shieldMode: false,
};
