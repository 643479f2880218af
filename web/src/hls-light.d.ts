/** The smaller build of hls.js, without subtitles and alternate audio; it has no types of its own. */
declare module "hls.js/light" {
  export * from "hls.js";
  export { default } from "hls.js";
}
