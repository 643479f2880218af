/** The fields that nginx-rtmp posts for a publisher, in its order. */
export function nginxRtmpFields({ streamKey, publisherId }: { streamKey: string; publisherId: number }) {
  return {
    app: "ingest",
    flashver: "FMLE/3.0 (compatible; FMSc/1.0)",
    swfurl: "",
    tcurl: "rtmp://127.0.0.1:1935/ingest",
    pageurl: "",
    addr: "127.0.0.1",
    clientid: String(publisherId),
    name: streamKey,
  };
}
