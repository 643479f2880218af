import { expect } from "chai";
import { ingestNetworks } from "../../../../actors/live/ingest/networks.ts";
import { readNginxRtmpHook } from "../../../../actors/live/ingest/nginx-rtmp.ts";
import { ServiceError } from "../../../../contract/errors.ts";

// As nginx 1.22.1 with libnginx-mod-rtmp 1.2.2 sends it.
const REAL =
  "app=ingest&flashver=FMLE/3.0%20(compatible%3B%20Lavf59.27.100)&swfurl=&tcurl=rtmp://127.0.0.1:1935/ingest" +
  "&pageurl=&addr=127.0.0.1&clientid=1&call=publish&name=live_abc&type=live";

const read = (body: string, call: "publish" | "publish_done" = "publish") =>
  readNginxRtmpHook(Buffer.from(body), call);

function refusal(act: () => unknown): unknown {
  try {
    act();
  } catch (err) {
    return err instanceof ServiceError ? err.code : err;
  }
  return "accepted";
}

describe("nginx-rtmp's hook body", () => {
  it("gives key, client and address", () => {
    expect(read(REAL)).deep.equal({ streamKey: "live_abc", clientId: "1", addr: "127.0.0.1" });
  });

  it("takes the first of a repeated field, so that a publisher's query string forges nothing", () => {
    const forged = `${REAL}&name=victim&addr=9.9.9.9&clientid=77&call=publish_done`;

    expect(read(forged)).deep.equal({ streamKey: "live_abc", clientId: "1", addr: "127.0.0.1" });
    expect(refusal(() => read(forged, "publish_done"))).equal("validation_failed");
  });

  it("refuses a body without one of the fields, with an empty or with an endless one", () => {
    for (const field of ["call", "name", "clientid", "addr"]) {
      expect(refusal(() => read(REAL.replace(`${field}=`, "x=")))).equal("validation_failed", field);
    }
    expect(refusal(() => read(REAL.replace("live_abc", "")))).equal("validation_failed");
    expect(refusal(() => read(REAL.replace("live_abc", "k".repeat(257))))).equal("validation_failed");
    expect(refusal(() => read(""))).equal("validation_failed");
  });

  it("survives bytes that are no text", () => {
    expect(refusal(() => readNginxRtmpHook(Buffer.from([0xff, 0xfe, 0x00, 0x26, 0x25]), "publish"))).equal(
      "validation_failed",
    );
  });
});

describe("networks of ingest hooks", () => {
  it("hold this machine and what is configured, nothing else", () => {
    const networks = ingestNetworks(["10.1.0.0/16", "192.0.2.7", "fd00::/8"]);

    for (const ip of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.255.3", "192.0.2.7", "fd12::1"]) {
      expect(networks.has(ip), ip).equal(true);
    }
    for (const ip of ["10.2.0.1", "192.0.2.8", "2001:db8::1", "::ffff:8.8.8.8", "nonsense", ""]) {
      expect(networks.has(ip), ip).equal(false);
    }
  });

  it("stop the start at an entry that is none", () => {
    expect(() => ingestNetworks(["10.0.0.0/40"])).throw("10.0.0.0/40");
    expect(() => ingestNetworks(["localhost"])).throw("localhost");
  });
});
