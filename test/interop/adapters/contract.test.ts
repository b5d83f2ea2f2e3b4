import { readFileSync } from "node:fs"
import { testAdapter } from "../../../lib/adapters/testing.js"
import { describePublished, PUBLISHED } from "./support/describe.js"

describePublished(
  "The adapter tests",
  ({ without: exclude, skip = [] }, opened) => {
    testAdapter(it, {
      exclude,
      skip,
      // Every test has its own users and addresses.
      create: () => ({ adapter: opened().adapter, dump: async () => JSON.stringify(await opened().kept()) }),
    })
  },
  PUBLISHED,
)

it.each(PUBLISHED)("the missing guarantees of $name are documented", ({ name, without, skip = [] }) => {
  const rows = readFileSync("docs/authjs-adapters.md", "utf8").matchAll(/^\| `(.+?)`( .+?) \| (.*?) \|$/gm)
  const listed = new Map([...rows].map(({ 1: pack, 2: store, 3: cell = "" }) => [`${pack}${store}`, cell]))
  const cell = listed.get(name) ?? ""
  const inMemory = listed.get("@auth/unstorage-adapter in memory") ?? ""
  const all = cell.startsWith("the same") ? `${inMemory}, ${cell}` : cell
  expect([...all.matchAll(/`([a-z-]+)`/g)].map(({ 1: promise }) => promise)).toEqual(without)
  expect(all.includes('`skip: ["deleteUser"]`')).toBe(skip.includes("deleteUser"))
})
