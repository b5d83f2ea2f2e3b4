/**
 * Runs the modules for logout. The user has signed in with two browsers in the same session at the provider, so that the
 * browser that does not sign out shows the effect of the logout token.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import type { Browser, Page } from "../../support/browser.js"
import { signIdToken } from "../../support/faulty-provider/signing.js"
import { ALICE } from "../../support/faulty-provider.js"
import { readJson } from "./expectations.js"
import type { Run } from "./run.js"
import { SID } from "./suite-provider.js"

const EVENT = "http://schemas.openid.net/event/backchannel-logout"

/** The suite's logout token (Back-Channel Logout 1.0 §2.4). */
function createLogoutToken({ op, module: { logout } }: Run): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    ...{ iss: op.issuer, sub: ALICE["sub"], aud: op.client.clientId, jti: randomUUID(), sid: SID },
    ...{ events: { [EVENT]: {} }, iat: now, exp: now + 120, ignored_claim: "other claims are ignored" },
  }
  const header = (plain: object) => ({ ...plain, typ: "logout+jwt" })
  return signIdToken({ ...claims, ...logout?.claims?.(claims) }, { header, alg: logout?.alg }, op.keys)
}

/** Posts the token like the provider's server (§2.5). */
async function postLogoutToken(run: Run): Promise<Response> {
  const body = new URLSearchParams({ logout_token: await createLogoutToken(run) })
  return fetch(`${run.origin}/auth/backchannel-logout/oidc`, { method: "POST", body })
}

/** Signs out in the first browser, and expects the module's outcome. */
export async function signOut(run: Run, [browser, other]: readonly [Browser, Browser]): Promise<void> {
  const { origin, op, module } = run
  const { refuses } = module.logout ?? {}
  const started = await browser.post("/auth/signout", { csrfToken: await browser.csrf(), callbackUrl: "/bye" })
  const answered = await postLogoutToken(run)
  expect([answered.status, answered.headers.get("cache-control")]).toEqual([
    refuses === "token" ? 400 : 200,
    expect.stringContaining("no-store"),
  ])
  const atProvider: Page = await browser.get(started.location)
  const returned = await browser.get(atProvider.location, { from: op.issuer })
  expect([returned.status, returned.location]).toEqual([302, `${origin}/${refuses === "return" ? "" : "bye"}`])
  expect(await readJson(browser, "/me")).toBeNull()
  expect((await readJson(other, "/me")) === null).toBe(refuses !== "token")
  expect(await readJson(browser, "/log")).toEqual(refuses ? [expect.stringMatching(module.reason ?? /^$/)] : [])
}
