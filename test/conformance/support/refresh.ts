import type { Browser } from "../../support/browser.js"
import { readJson } from "./expectations.js"
import type { Run } from "./run.js"
import { claiming } from "./suite-provider.js"

/** Calls the API after the access token has expired, and expects the module's outcome. */
export async function refresh({ op, module }: Run, browser: Browser): Promise<void> {
  await browser.get("/later")
  const { claims, status = 200 } = module.refresh ?? {}
  op.set({ clockOffsetSeconds: 7_200, ...claiming(claims) })
  const page = await browser.get("/api")
  const expected = module.reason ? expect.stringMatching(module.reason) : expect.objectContaining({ name: "Alice" })
  expect([page.status, await page.json()]).toEqual([status, expected])
  expect(await readJson(browser, "/me")).toMatchObject({ user: { name: "Alice" } })
}
