import { startOAuth } from "../../../../lib/methods/oauth/start.js"
import { callOf, createSite, providerOf, startFlow } from "./test-site.js"

const COOKIE = "__Host-authjs.state"
/** The maximum total size of the cookies at which an older flow is kept. */
const MAX_HEADER_BYTES = 7_168

const flowCookie = (letter: string, size: number) => ({ [`${COOKIE}.${letter.repeat(16)}`]: "x".repeat(size) })

const sizeOf = (cookies: Record<string, string>) =>
  Object.entries(cookies)
    .map((pair) => pair.join("="))
    .join("; ").length

describe("startOAuth with the cookie of an older flow", () => {
  const site = createSite()

  /** Returns whether the older flow is kept if the cookies and the new flow have this total size. */
  async function isKept(total: number, size: number): Promise<boolean> {
    const [put] = (await startFlow(site)).changes
    const newSize = put && "value" in put ? put.value.length : 0
    const older = flowCookie("a", size)
    const others = { session: "" }
    const left = total - newSize - sizeOf({ ...others, ...older })
    const { changes } = await startFlow(site, { cookies: { session: "s".repeat(left), ...older } })
    expect(changes.length).toBeGreaterThan(0)
    return changes.length === 1
  }

  it.each([
    [MAX_HEADER_BYTES, 1_000, true],
    [MAX_HEADER_BYTES + 1, 1_000, false],
    [MAX_HEADER_BYTES, 2_999, true],
    [MAX_HEADER_BYTES + 1, 10, false],
    [MAX_HEADER_BYTES - 1, 3_001, false],
  ])(
    "with %d bytes of cookies, of which the older flow has %d, keeps the older flow: %s",
    async (total, size, kept) => {
      expect(await isKept(total, size)).toBe(kept)
    },
  )

  it("starts a flow in a browser without cookies", async () => {
    const call = { ...(await callOf(site, { path: "/signin/acme" })), cookies: {}, cookieHeader: null }
    const { cookies } = await startOAuth(call, providerOf(site), site.runtime)
    expect(cookies).toHaveLength(1)
  })

  it("clears at most ten cookies at once, because a sibling domain can plant hundreds", async () => {
    const planted = [..."abcdefghijklmno"].map((letter) => flowCookie(letter, 1))
    const { changes } = await startFlow(site, { cookies: Object.assign({}, ...planted) })
    expect(changes.filter((change) => "drop" in change)).toHaveLength(10)
  })
})
