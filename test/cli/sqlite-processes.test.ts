import { join } from "node:path"
import { Project } from "./support/project.js"

/** A process that writes, reads and runs transactions concurrently. */
const WORKER = `
import { SqlAdapter } from "latchkey/adapters/sql"
const [file, name] = process.argv.slice(2)
const adapter = SqlAdapter({ sqlite: file })
await adapter.migrate()
const expires = new Date(Date.now() + 60_000)
const signIn = (index) => adapter.transaction(async (within) => {
  const id = name + index
  await within.createUser({ id, email: id + "@example.test", emailVerified: null })
  await new Promise((resolve) => setTimeout(resolve, 1))
  await within.linkAccount({ userId: id, provider: "p", providerAccountId: id, type: "oidc" })
})
let count = 0
for (let index = 0; index < 40; index++) {
  await Promise.all([
    signIn(index).then(() => adapter.createSession({ sessionToken: name + index, userId: name + index, expires })),
    adapter.createVerificationToken({ identifier: "a@b.test", token: name + index, expires }),
  ])
  if (await adapter.getSessionAndUser(name + index)) count++
}
// Every process tries to use all tokens; one process gets each.
let won = 0
for (const other of ["a", "b", "c"])
  for (let index = 0; index < 40; index++)
    if (await adapter.useVerificationToken({ identifier: "a@b.test", token: other + index })) won++
await adapter.close()
console.log(JSON.stringify({ count, won }))
`

it("several processes use one SQLite file concurrently without errors or lost writes", async () => {
  const project = new Project(["kysely", "better-sqlite3", "bindings", "file-uri-to-path"])
  const file = join(project.folder, "auth.db")
  const outcomes = await Promise.all(["a", "b", "c"].map((name) => project.node(WORKER, [file, name])))
  for (const { code, err } of outcomes) expect({ code, err }).toEqual({ code: 0, err: "" })
  const results = outcomes.map(({ out }) => JSON.parse(out) as { count: number; won: number })
  expect(results.map(({ count }) => count)).toEqual([40, 40, 40])
  const count = `
import { SqlAdapter } from "latchkey/adapters/sql"
const adapter = SqlAdapter({ sqlite: ${JSON.stringify(file)} })
let users = 0
let unused = 0
for (const name of ["a", "b", "c"])
  for (let index = 0; index < 40; index++) {
    if (await adapter.getUserByAccount({ provider: "p", providerAccountId: name + index })) users++
    if (await adapter.useVerificationToken({ identifier: "a@b.test", token: name + index })) unused++
  }
await adapter.close()
console.log(JSON.stringify({ users, unused }))`
  const { out } = await project.node(count)
  const { users, unused } = JSON.parse(out)
  expect(users).toBe(120)
  // Each link was used by one process, or by none if it was created after the others tried.
  expect(results.reduce((sum, { won }) => sum + won, 0) + unused).toBe(120)
  project.remove()
}, 60_000)
