import { checkSessionCookieName } from "../../../../lib/cli/doctor/configuration.js"
import { createRuntime } from "../../../../lib/runtime/runtime.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { configOf } from "../../../express/support/servers.js"

const found = (over: Partial<AuthConfig>, base = "https://app.test/auth") =>
  checkSessionCookieName({ runtime: createRuntime(configOf(over), {}), base }).map(({ level, code }) => [level, code])

it("SEC-08: checkSessionCookieName recommends the __Host- prefix for the session cookie", () => {
  expect(found({})).toEqual([["warning", "session-host-prefix-off"]])
  expect(found({ session: { hostPrefix: true } })).toEqual([["ok", "session-host-prefix-off"]])
  expect(found({ cookies: { sessionToken: { name: "__Host-sid" } } })).toEqual([["ok", "session-host-prefix-off"]])
})

it("SEC-08: checkSessionCookieName does not recommend __Host- over http or for a cookie with a domain", () => {
  expect(found({}, "http://localhost:3000/auth")).toEqual([])
  expect(found({ cookies: { sessionToken: { options: { domain: "app.test" } } } })).toEqual([])
})
