import { createCookieSet } from "../../../lib/http/cookies.js"
import { TrustedDevices } from "../../../lib/second-factor/trusted-devices.js"
import { createKeyring } from "../../../lib/security/keys.js"
import { MemoryStore } from "../../../lib/store/memory.js"

const cookieSet = createCookieSet(true)
const NOW = Date.now()

function createDevices() {
  const device = { browser: "Firefox", platform: "Windows" }
  const devices = new TrustedDevices({
    store: MemoryStore(),
    keys: createKeyring(["a secret of the tests"]),
    now: () => NOW,
    days: 30,
    describe: () => ({ ...device }),
  })
  return { devices, device }
}

const browserWith = (value?: string) => ({
  cookies: value === undefined ? {} : { [cookieSet.trustedDevice.name]: value },
  cookieSet,
  headers: new Headers(),
})

/** Trusts a browser; returns the browser with its new cookie. */
async function trust(devices: TrustedDevices, browser = browserWith()) {
  const change = await devices.trust("ada", browser)
  if (!("value" in change)) throw new Error("trust() set no cookie")
  return browserWith(change.value)
}

describe("TrustedDevices", () => {
  it("has one record for a browser that is trusted again, for example after its platform has changed", async () => {
    const { devices, device } = createDevices()
    const browser = await trust(devices)
    device.platform = "Linux"
    expect(await devices.isTrusted("ada", browser)).toBe(false)
    const again = await trust(devices, browser)
    expect(await devices.isTrusted("ada", again)).toBe(true)
    expect(await devices.isTrusted("ada", browser)).toBe(false)
    expect(await devices.list("ada")).toMatchObject([{ platform: "Linux" }])
  })

  it("removeAll ends the trust in all browsers, even if the store lists them in several pages", async () => {
    const { devices } = createDevices()
    let last = browserWith()
    for (let i = 0; i < 1_001; i++) last = await trust(devices)
    await devices.removeAll("ada")
    expect(await devices.list("ada")).toEqual([])
    expect(await devices.isTrusted("ada", last)).toBe(false)
  })
})
