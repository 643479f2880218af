import { expect } from "chai";
import {
  addressKey,
  canonicalAddress,
  clientAddressBehind,
  isPublicAddress,
  networksFrom,
  UNKNOWN_ADDRESS,
} from "../../base/addresses.ts";

describe("an address", () => {
  it("has one spelling, however it is written", () => {
    const spellings = {
      "203.0.113.9": ["203.0.113.9", "::ffff:203.0.113.9", "0000:0000:0000:0000:0000:ffff:cb00:7109"],
      "2001:db8::1": ["2001:db8::1", "2001:0DB8:0:0:0:0:0:0001", "[2001:db8::1]:443", "[2001:db8::1]"],
      "::1": ["::1", "0000:0000:0000:0000:0000:0000:0000:0001"],
      "192.0.2.7": ["192.0.2.7:51234", " 192.0.2.7 "],
    };
    for (const [expected, written] of Object.entries(spellings)) {
      for (const one of written) expect(canonicalAddress(one), one).equal(expected);
    }
  });

  it("is refused when it is none", () => {
    for (const text of ["", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "::g", "localhost", "[::1", "a:1"]) {
      expect(canonicalAddress(text), text).equal(null);
    }
  });

  it("counts with its whole home: an IPv6 network of /64, an IPv4 address alone", () => {
    expect(addressKey("2001:db8:0:1::1")).equal(addressKey("2001:0db8:0000:0001:ffff::2"));
    expect(addressKey("2001:db8:0:1::1")).not.equal(addressKey("2001:db8:0:2::1"));
    expect(addressKey("::ffff:203.0.113.9")).equal(addressKey("203.0.113.9"));
    expect(addressKey("203.0.113.9")).not.equal(addressKey("203.0.113.10"));
    expect(addressKey("::1")).equal("0:0:0:0::/64");
    expect(addressKey("made up")).equal(UNKNOWN_ADDRESS);
  });
});

describe("a client's address", () => {
  const clientAddress = clientAddressBehind(networksFrom(["10.0.0.0/8", "fd00::/8", "198.51.100.4"]));

  it("is the peer's when no trusted proxy is in front, whatever it says of itself", () => {
    expect(clientAddress("203.0.113.9", "6.6.6.6")).equal("203.0.113.9");
    expect(clientAddress("127.0.0.1", "6.6.6.6")).equal("127.0.0.1");
    expect(clientAddress("::ffff:203.0.113.9", undefined)).equal("203.0.113.9");
  });

  it("is the last that trusted proxies, also of a network, name", () => {
    expect(clientAddress("10.1.2.3", "6.6.6.6, 203.0.113.9")).equal("203.0.113.9");
    expect(clientAddress("::ffff:10.1.2.3", "6.6.6.6, 203.0.113.9, 198.51.100.4")).equal("203.0.113.9");
    expect(clientAddress("fd00::1", "2001:DB8::9")).equal("2001:db8::9");
  });

  it("stays the proxy's when that names none", () => {
    expect(clientAddress("10.1.2.3", undefined)).equal("10.1.2.3");
    expect(clientAddress("10.1.2.3", "203.0.113.9, nonsense")).equal("10.1.2.3");
    expect(clientAddress("10.1.2.3", "10.9.9.9")).equal("10.9.9.9");
  });

  it("is unknown of a peer that has left", () => {
    expect(clientAddress(undefined, "203.0.113.9")).equal(UNKNOWN_ADDRESS);
  });
});

describe("networks", () => {
  it("refuse what is neither an address nor a network", () => {
    for (const entry of ["10.0.0.0/40", "localhost", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "1.2.3.4/-1"]) {
      expect(() => networksFrom([entry]), entry).throw(entry);
    }
  });
});

describe("a public address", () => {
  it("is one of the open internet, however it is written", () => {
    for (const address of ["1.1.1.1", "172.32.0.1", "2606:4700:4700::1111", "::ffff:9.9.9.9", "2a00:1450::1"])
      expect(isPublicAddress(address), address).equal(true);
  });

  it("is none of this machine, a private network or another purpose, also within IPv6", () => {
    const others = [
      ...[
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
      ],
      ...["192.0.2.1", "192.168.1.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "255.255.255.255"],
      ...[
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:a00:1",
        "::127.0.0.1",
        "64:ff9b::a00:1",
        "fe80::1",
        "fc00::1",
      ],
      ...["fd12::1", "ff02::1", "2001:db8::1", "2001::1", "2002:a00:1::", "localhost", ""],
    ];
    for (const address of others) expect(isPublicAddress(address), address).equal(false);
  });
});
