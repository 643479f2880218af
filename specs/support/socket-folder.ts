import { makeSocketFolder } from "../../deploy/processes/upgrade-splice/socket-folder.ts";

/** Makes the folder as a production primary does; the caller removes it. */
export const specSocketFolder = () => makeSocketFolder(null);
