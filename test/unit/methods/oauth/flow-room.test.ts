import { startOAuth } from "../../../../lib/methods/oauth/start.js"
import { begin, callOf, providerOf, settingOf } from "./setting.js"

const COOKIE = "__Host-authjs.state"
/** What all cookies may take where an older attempt is kept. */
const MAX_HEADER_BYTES = 7_168

const attempt = (letter: string, size: number) => ({ [`${COOKIE}.${letter.repeat(16)}`]: "x".repeat(size) })

const sizeOf = (cookies: Record<string, string>) =>
  Object.entries(cookies)
    .map((pair) => pair.join("="))
    .join("; ").length

describe("an older attempt", () => {
  const setting = settingOf()

  /** Is it kept, where the cookies and the new attempt take so much together? */
  async function isKept(total: number, size: number): Promise<boolean> {
    const [put] = (await begin(setting)).changes
    const newSize = put && "value" in put ? put.value.length : 0
    const older = attempt("a", size)
    const others = { session: "" }
    const left = total - newSize - sizeOf({ ...others, ...older })
    const { changes } = await begin(setting, { cookies: { session: "s".repeat(left), ...older } })
    expect(changes.length).toBeGreaterThan(0)
    return changes.length === 1
  }

  it.each([
    [MAX_HEADER_BYTES, 1_000, true],
    [MAX_HEADER_BYTES + 1, 1_000, false],
    [MAX_HEADER_BYTES, 2_999, true],
    [MAX_HEADER_BYTES + 1, 10, false],
    [MAX_HEADER_BYTES - 1, 3_001, false],
  ])("stays where all cookies together take %d bytes, of which it has %d: %s", async (total, size, stays) => {
    expect(await isKept(total, size)).toBe(stays)
  })

  it("needs no header of a browser that has no cookies", async () => {
    const call = { ...(await callOf(setting, { path: "/signin/acme" })), cookies: {}, cookieHeader: null }
    const { cookies } = await startOAuth(call, providerOf(setting), setting.runtime)
    expect(cookies).toHaveLength(1)
  })

  it("goes, but no more than ten at once: a neighbour may plant them by the hundred", async () => {
    const planted = [..."abcdefghijklmno"].map((letter) => attempt(letter, 1))
    const { changes } = await begin(setting, { cookies: Object.assign({}, ...planted) })
    expect(changes.filter((change) => "drop" in change)).toHaveLength(10)
  })
})
