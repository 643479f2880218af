import { makeSocketFolder } from "../../deploy/socket-folder.ts";

/** As a primary in production makes it; who makes it removes it. */
export const specSocketFolder = () => makeSocketFolder(null);
