export const ENDS_WITH_PARENT_VARIABLE: "LIVECORE_ENDS_WITH_PARENT";
export function watchParent(gone: () => void): () => void;
