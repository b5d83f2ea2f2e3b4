import { readFileSync } from "node:fs"
import { join } from "node:path"
import { runInThisContext } from "node:vm"
import { transformSync } from "esbuild"
import pg from "pg"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { adapterCases } from "../../lib/adapters/testing.js"
import { type Database, postgres } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"

const PAGE = readFileSync(join(__dirname, "../../docs/adapters.md"), "utf8")
const CODE = /```js\n(const claims = [\s\S]*?)```/.exec(PAGE)?.[1] ?? ""
const COLUMNS = /a table `claims (\(.+?\))`/.exec(PAGE)?.[1] ?? ""

/** All that ask for claims alone. */
const casesOn = (adapter: Adapter) =>
  adapterCases({ create: () => ({ adapter }), skip: ["useVerificationToken"] }).filter(({ name }) =>
    name.startsWith("claimOnce"),
  )
const NAMES = casesOn({}).map(({ name }) => name)

describeStore("claimOnce of docs/adapters.md", postgres, ({ createDatabase }) => {
  let database: Database
  let pool: pg.Pool
  let claims: Pick<Adapter, "claimOnce">

  beforeAll(async () => {
    database = await createDatabase()
    await database.raw.query(`CREATE TABLE claims ${COLUMNS}`)
    pool = new pg.Pool({ connectionString: database.address })
    const { code } = transformSync(`${CODE}\nmodule.exports = claims`)
    const example: { exports: typeof claims } = { exports: {} }
    runInThisContext(`(module, pool) => {${code}}`)(example, pool)
    claims = example.exports
  })
  afterAll(async () => {
    await pool.end()
    await database.drop()
  })

  it.each(NAMES)("%s", async (wanted) => {
    expect(typeof claims.claimOnce).toBe("function")
    await casesOn(claims)
      .find(({ name }) => name === wanted)
      ?.run()
  })
})
