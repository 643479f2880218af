/** The key of a subscriber's seat in a channel; it holds one subscription at a time. */
export const seatKeyOf = ({ subscriberId, channelUserId }: { subscriberId: string; channelUserId: string }) =>
  `${subscriberId}:${channelUserId}`;
