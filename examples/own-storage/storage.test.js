import { test } from "node:test"
import { testAdapter } from "latchkey/adapters/testing"
import { storeCases } from "latchkey/stores/testing"
import { TinyAdapter } from "./adapter.js"
import { TinyStore } from "./store.js"

testAdapter(test, { passkeys: false, create: () => ({ adapter: TinyAdapter() }) })

// TinyStore does not check its arguments.
const UNCHECKED = "invalid kinds, keys, owners and values are rejected"
const cases = storeCases({ create: () => ({ store: TinyStore() }) })
for (const { name, run } of cases.filter(({ name }) => name !== UNCHECKED)) test(name, run)
