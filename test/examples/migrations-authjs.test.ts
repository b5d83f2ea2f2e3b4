import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "../support/browser.js"
import { type RealProvider, startRealProvider } from "../support/real-provider.js"
import { copyBrowser, currentUser, Migration, PLAIN_TEXT, signInWithProvider, signOut } from "./support/migration.js"
import { ROOT, temporaryFolder } from "./support/run-example.js"

const CLIENT = { client_id: "shop", client_secret: "a secret of thirty-two letters or more" }
const folder = temporaryFolder()
afterAll(() => folder.remove())

const readLines = (file: string) => readFileSync(join(ROOT, "examples/migrations/authjs", file), "utf8").split("\n")

it("examples/migrations/authjs changes one import", () => {
  const [before, after] = [readLines("before.js"), readLines("after.js")]
  expect(after).toHaveLength(before.length)
  expect(after.filter((line) => !before.includes(line) && !line.startsWith(" *"))).toEqual([
    'import { authMiddleware as ExpressAuth, getSession } from "latchkey"',
  ])
})

describe.each([
  { sessions: "cookies", env: {}, copiesRemainValid: true },
  { sessions: "a store", env: { DATABASE_FOLDER: folder.path }, copiesRemainValid: false },
])("examples/migrations/authjs with sessions in $sessions", ({ env, copiesRemainValid }) => {
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

  it("keeps the session and its cookie", async () => {
    const before = person.cookie("authjs.session-token")
    expect(before).toBeDefined()
    expect(await currentUser(person)).toMatchObject({ name: "Alice", email: "alice@example.com" })
    expect(person.cookie("authjs.session-token")).toBe(before)
  })

  it("signs out; a copied cookie remains valid only if sessions are in cookies", async () => {
    const copy = copyBrowser(person)
    await signOut(person)
    expect(await currentUser(person)).toBeUndefined()
    expect(Boolean(await currentUser(copy))).toBe(copiesRemainValid)
  })

  it("finds the same user at the next sign-in", async () => {
    await signInWithProvider(person, "alice")
    expect(await currentUser(person)).toMatchObject({ name: "Alice", email: "alice@example.com" })
  })

  it("sends names as plain text", async () => {
    const page = await person.get("/")
    expect([await page.text(), page.headers.get("content-type")]).toEqual(["Hello, Alice", PLAIN_TEXT])
  })
})
