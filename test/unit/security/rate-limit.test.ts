import { createLimits } from "../../../lib/security/limits.js"
import { clientNetwork, createMemoryLimiter } from "../../../lib/security/rate-limit.js"
import { fc } from "../../support/properties.js"
import { recordingLogger } from "../../support/recording-logger.js"

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:192.0.2.1", "192.0.2.1"],
  ["::ffff:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8::6", "2001:db8:0:0::/64"],
  ["2001:DB8:0:0:ffff:ffff:ffff:ffff", "2001:db8:0:0::/64"],
  ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8:0:0::/64"],
  ["2001:db8:0:1::1", "2001:db8:0:1::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4::/64"],
  ["1:2::", "1:2:0:0::/64"],
  ["2001::4:5:6:7:8", "2001:0:0:4::/64"],
  ["::5:6:7:8", "0:0:0:0::/64"],
  ["1:0:0:0:0:ffff:c000:201", "1:0:0:0::/64"],
  ["0:0:0:0:1:ffff:c000:201", "0:0:0:0::/64"],
  ["0:0:0:0:0:fffe:c000:201", "0:0:0:0::/64"],
  ["::ffff:999.0.2.1", "::ffff:999.0.2.1"],
  ["x::ffff:192.0.2.1", "x::ffff:192.0.2.1"],
  ["::ffff:192.0.2.1x", "::ffff:192.0.2.1x"],
  // Some proxies, such as Azure's, add the port.
  ["192.0.2.1:51234", "192.0.2.1"],
  ["192.0.2.1:0", "192.0.2.1"],
  ["[2001:db8::1]", "2001:db8:0:0::/64"],
  ["[2001:DB8::1]:51234", "2001:db8:0:0::/64"],
  ["[fe80::1%eth0]:80", "fe80:0:0:0::/64"],
  ["[::ffff:192.0.2.1]:51234", "192.0.2.1"],
  ["[::ffff:c000:201]", "192.0.2.1"],
  ["[192.0.2.1]:80", "192.0.2.1"],
  ["192.0.2.1:", "192.0.2.1:"],
  ["[]", "[]"],
  ["192.0.2.1:x", "192.0.2.1:x"],
  ["192.0.2.1:80:80", "192.0.2.1:80:80"],
  ["x192.0.2.1:80", "x192.0.2.1:80"],
  ["[2001:db8::1]x", "[2001:db8::1]x"],
  ["x[2001:db8::1]", "x[2001:db8::1]"],
  ["not an address", "not an address"],
  ["Not An Address", "not an address"],
  ["", "unknown"],
  [undefined, "unknown"],
])("clientNetwork(%j) is %j", (address, bucket) => {
  expect(clientNetwork(address)).toBe(bucket)
})

describe("createMemoryLimiter", () => {
  const create = (attempts = 2) => {
    const time = { now: 1_000_000 }
    const limiter = createMemoryLimiter(attempts, 60, () => time.now)
    const consume = (key: string) => limiter.consume(key).then((retryAfterMs) => retryAfterMs ?? "passed")
    return { time, limiter, consume }
  }

  it("allows the given number of attempts in a window, and reports the remaining wait", async () => {
    const { time, consume } = create()
    expect([await consume("a"), await consume("a"), await consume("a"), await consume("b")]).toEqual([
      "passed",
      "passed",
      60_000,
      "passed",
    ])
    time.now += 59_999
    expect(await consume("a")).toBe(1)
    time.now += 1
    expect(await consume("a")).toBe("passed")
  })

  it("allows attempts again if the clock is set back", async () => {
    const { time, consume } = create(1)
    expect([await consume("a"), await consume("a")]).toEqual(["passed", 60_000])
    time.now -= 3_600_000
    expect(await consume("a")).toBe("passed")
  })

  it("refund() returns one attempt at a time, and not more than were used", async () => {
    const { limiter, consume } = create(2)
    await limiter.refund("a")
    expect([await consume("a"), await consume("a"), await consume("a")]).toEqual(["passed", "passed", 60_000])
    // The refused attempt was counted too.
    await limiter.refund("a")
    await limiter.refund("a")
    expect([await consume("a"), await consume("a")]).toEqual(["passed", 60_000])
    for (let i = 0; i < 9; i++) await limiter.refund("a")
    expect([await consume("a"), await consume("a"), await consume("a")]).toEqual(["passed", "passed", 60_000])
  })

  it("refund() does not extend the window", async () => {
    const { time, limiter, consume } = create(1)
    await consume("a")
    time.now += 30_000
    await limiter.refund("a")
    expect([await consume("a"), await consume("a")]).toEqual(["passed", 30_000])
  })

  it("SEC-09: keeps the count of an exhausted key, however many other keys are used", async () => {
    const { consume } = create(2)
    for (let i = 0; i < 2; i++) await consume("exhausted")
    await consume("active")
    for (let i = 0; i < 50_100; i++) await consume(`key ${i}`)
    expect([await consume("exhausted"), await consume("active"), await consume("active")]).toEqual([
      60_000,
      "passed",
      "passed",
    ])
  })

  it("keeps the most recent 50,000 keys", async () => {
    const { consume } = create(1)
    await consume("first")
    await consume("second")
    for (let i = 0; i < 49_999; i++) await consume(`key ${i}`)
    expect([await consume("second"), await consume("first")]).toEqual([60_000, "passed"])
  })
})

it.each([
  ["attempts", 10],
  ["failuresPerClient", 100],
  ["failuresPerSite", 1_000],
  ["emailsPerAddress", 5],
  ["emailsPerMailbox", 20],
  ["emailsPerClient", 60],
  ["passkeySignUpsPerAddress", 5],
  ["passkeySignUpsPerClient", 60],
  ["oauthSignInsPerClient", 300],
] as const)("the limit %s is %d by default, in a window of 15 minutes", async (name, limit) => {
  const limits = createLimits({}, { now: () => 0, store: undefined, logger: recordingLogger().logger })
  const waits = await Promise.all(Array.from({ length: limit + 1 }, () => limits.count(name, "a")))
  expect(waits).toEqual([...Array(limit).fill(undefined), 15 * 60_000])
})

describe("clientNetwork with random addresses", () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
  const network = fc.tuple(group, group, group, group)
  const host = fc.tuple(group, group, group, group)
  const isMapped = (groups: readonly string[]) => groups.slice(0, 4).every((one) => one === "0")

  it("ADV-22: puts all spellings of all addresses of an IPv6 /64 into one bucket, and no others", () => {
    fc.assert(
      fc.property(network, network, host, host, (net, other, one, two) => {
        fc.pre(!isMapped(net) && !isMapped(other))
        const bucket = clientNetwork([...net, ...one].join(":"))
        expect(bucket).toBe(`${net.join(":")}::/64`)
        expect(clientNetwork([...net, ...two].join(":").toUpperCase())).toBe(bucket)
        const padded = [...net, ...one].map((text) => text.padStart(4, "0")).join(":")
        expect(clientNetwork(padded)).toBe(bucket)
        expect(clientNetwork(new URL(`http://[${padded}]`).hostname.slice(1, -1))).toBe(bucket)
        if (net.join() !== other.join()) expect(clientNetwork([...other, ...one].join(":"))).not.toBe(bucket)
      }),
    )
  })

  it("ADV-22: puts an IPv4 address and its IPv6 forms into one bucket", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(clientNetwork(address)).toBe(address)
        for (const prefix of ["::ffff:", "::FFFF:", "0:0:0:0:0:ffff:"])
          expect(clientNetwork(prefix + address)).toBe(address)
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
        expect(clientNetwork(`::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`)).toBe(address)
      }),
    )
  })

  it("ADV-22: ignores the port", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), fc.integer({ min: 0, max: 65_535 }), (four, six, port) => {
        expect(clientNetwork(`${four}:${port}`)).toBe(clientNetwork(four))
        expect(clientNetwork(`[${six}]:${port}`)).toBe(clientNetwork(six))
        expect(clientNetwork(`[${six}]`)).toBe(clientNetwork(six))
      }),
    )
  })

  it("accepts any string", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void clientNetwork(text)))
  })
})
