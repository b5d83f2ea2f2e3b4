import { testAdapter } from "../../lib/adapters/testing.js"
import { mysql, postgres, type SqlStore, sqlite } from "../support/stores/sql.js"
import type { OpenStore } from "../support/stores.js"
import { describeStore } from "../support/stores.js"

const SQL_STORES: readonly SqlStore[] = [sqlite, postgres, mysql]

for (const each of SQL_STORES)
  describeStore(`SqlAdapter on ${each.name}`, each, (store) => {
    let opened: OpenStore
    beforeAll(async () => {
      opened = await store.create()
    })
    afterAll(() => opened.close())

    testAdapter(it, {
      complete: true,
      passkeys: true,
      // Every case has users and addresses of its own.
      create: () => ({ adapter: opened.adapter, dump: opened.dump }),
    })
  })
