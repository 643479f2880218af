import { makeSocketFolder } from "../../deploy/upgrade-splice/socket-folder.ts";

/** As a primary in production makes it; who makes it removes it. */
export const specSocketFolder = () => makeSocketFolder(null);
