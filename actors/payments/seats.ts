/** A subscriber's place in a channel; there is one subscription on it at a time. */
export const seatOf = ({ subscriberId, channelUserId }: { subscriberId: string; channelUserId: string }) =>
  `${subscriberId}:${channelUserId}`;
