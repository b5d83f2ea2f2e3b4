import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "../support/browser.js"
import { type RealProvider, startRealProvider } from "../support/real-provider.js"
import { copyOf, Migration, signInWithProvider, signOut, whoIs } from "./support/migration.js"
import { ROOT, temporaryFolder } from "./support/run-example.js"

const CLIENT = { client_id: "shop", client_secret: "a secret of thirty-two letters or more" }
const folder = temporaryFolder()
afterAll(() => folder.remove())

const linesOf = (file: string) => readFileSync(join(ROOT, "examples/migrations/authjs", file), "utf8").split("\n")

it("examples/migrations/authjs changes one import", () => {
  const [before, after] = [linesOf("before.js"), linesOf("after.js")]
  expect(after).toHaveLength(before.length)
  expect(after.filter((line) => !before.includes(line) && !line.startsWith(" *"))).toEqual([
    'import { authMiddleware as ExpressAuth, getSession } from "latchkey"',
  ])
})

describe.each([
  { sessions: "cookies", env: {}, copiesStay: true },
  { sessions: "a store", env: { DATABASE_FOLDER: folder.path }, copiesStay: false },
])("examples/migrations/authjs with sessions in $sessions", ({ env, copiesStay }) => {
  let provider: RealProvider
  let app: Migration
  let person: Browser

  beforeAll(async () => {
    provider = await startRealProvider()
    app = new Migration("authjs", {
      ...{
        AUTH_LOCAL_ISSUER: provider.issuer,
        AUTH_LOCAL_ID: CLIENT.client_id,
        AUTH_LOCAL_SECRET: CLIENT.client_secret,
      },
      ...env,
    })
    await app.start("before.js")
    await provider.addClient({ ...CLIENT, redirect_uris: [`${app.origin}/auth/callback/local`] })
    person = app.browser()
    await signInWithProvider(person, "alice")
    await app.start("after.js")
  })
  afterAll(async () => {
    await app?.stop()
    await provider?.close()
  })

  it("keeps whoever was signed in, with the same cookie", async () => {
    const before = person.cookie("authjs.session-token")
    expect(before).toBeDefined()
    expect(await whoIs(person)).toMatchObject({ name: "Alice", email: "alice@example.com" })
    expect(person.cookie("authjs.session-token")).toBe(before)
  })

  it("signs out, and keeps to it", async () => {
    const copy = copyOf(person)
    await signOut(person)
    expect(await whoIs(person)).toBeUndefined()
    expect(Boolean(await whoIs(copy))).toBe(copiesStay)
  })

  it("finds the same person at the next sign-in", async () => {
    await signInWithProvider(person, "alice")
    expect(await whoIs(person)).toMatchObject({ name: "Alice", email: "alice@example.com" })
  })
})
