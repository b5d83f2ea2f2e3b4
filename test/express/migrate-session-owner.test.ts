/** SEC-14: migrating a legacy session whose email address an attacker has registered before. */
import { randomUUID } from "node:crypto"
import type { RequestListener } from "node:http"
import express from "express"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, type LegacySession, migrateSession } from "../../lib/index.js"
import { recordingLogger } from "../support/recording-logger.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const ADA = { name: "Ada", email: "ada@example.com" }
const DAY = 24 * 60 * 60 * 1000

/** A site whose adapter has an attacker's user with Ada's address, and a browser with a legacy session of Ada. */
async function migrate(legacySession: LegacySession, stored: { emailVerified: Date | null } = { emailVerified: null }) {
  const adapter = MemoryAdapter()
  const attacker = await adapter.createUser({ id: "attacker", ...ADA, ...stored })
  const evil = { provider: "evil", providerAccountId: "7", type: "oidc", userId: "attacker" } as const
  await adapter.linkAccount({ ...evil, verifiedEmail: "eve@evil.test" })
  const sessionToken = randomUUID()
  await adapter.createSession({ sessionToken, userId: "attacker", expires: new Date(Date.now() + DAY) })
  const { logger, records } = recordingLogger()
  const config = configOf({ adapter, logger, session: { strategy: "database" } })
  const app = express()
  app.use(migrateSession(config, { cookie: "old.sid", until: new Date(Date.now() + DAY), read: () => legacySession }))
  app.use(authMiddleware(config))
  app.get("/me", async (req, res) => void res.json(await req.getSession()))
  const browser = (await serve(app as RequestListener)).browser()
  browser.setCookie("old.sid", "old")
  const session = await (await browser.get("/me")).json()
  return { adapter, attacker, session, sessionToken, records }
}

it("SEC-14: signs in as the user of an unverified address after unlinking the attacker's account and sessions", async () => {
  const { adapter, session, sessionToken, records } = await migrate({ user: ADA })
  expect(session).toMatchObject({ user: { email: ADA.email } })
  expect(await adapter.listAccountsByUserId("attacker")).toEqual([])
  expect(await adapter.getSessionAndUser(sessionToken)).toBeNull()
  expect((await adapter.getUser("attacker"))?.emailVerified).toBeInstanceOf(Date)
  expect(records.map(({ code }) => code)).toContain("accounts-unlinked")
})

it("SEC-14: links an account to that user, and removes the attacker's", async () => {
  const account = { provider: "github", providerAccountId: "1", type: "oauth" } as const
  const { adapter, sessionToken } = await migrate({ user: ADA, account })
  const accounts = await adapter.listAccountsByUserId("attacker")
  expect(accounts.map(({ provider }) => provider)).toEqual(["github"])
  expect(await adapter.getSessionAndUser(sessionToken)).toBeNull()
})

it("SEC-14: keeps the accounts and sessions of a user who has verified the address", async () => {
  const { adapter, session, sessionToken } = await migrate({ user: ADA }, { emailVerified: new Date(0) })
  expect(session).toMatchObject({ user: { email: ADA.email } })
  expect(await adapter.listAccountsByUserId("attacker")).toHaveLength(1)
  expect(await adapter.getSessionAndUser(sessionToken)).not.toBeNull()
})

it("SEC-14: finds no user by an address that the application has not verified", async () => {
  const { adapter, session, sessionToken } = await migrate({ user: { ...ADA, emailVerified: null } })
  expect(session).toMatchObject({ user: { name: "Ada" } })
  expect(Object(session).user.email ?? null).toBeNull()
  expect(await adapter.listAccountsByUserId("attacker")).toHaveLength(1)
  expect(await adapter.getSessionAndUser(sessionToken)).not.toBeNull()
})
