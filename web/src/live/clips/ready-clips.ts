import { signal } from "@preact/signals";

/** Counts the clips that were made on this page and have become ready: lists of clips are read again. */
export const readyClips = signal(0);
