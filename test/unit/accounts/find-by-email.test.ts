import { findByEmail } from "../../../lib/accounts/find-by-email.js"
import { accountStore } from "../../../lib/accounts/store.js"
import type { Adapter, AdapterUser } from "../../../lib/adapters/adapter.js"
import { bindAdapter } from "../../../lib/adapters/bind.js"
import { createLogger } from "../../../lib/logger.js"

/** Looks among users of these addresses, and notes what was asked for. */
async function find(email: string, ...known: string[]): Promise<{ found: string | undefined; asked: string[] }> {
  const asked: string[] = []
  const user = await findByEmail(email, {
    async getUserByEmail(address) {
      asked.push(address)
      return known.includes(address) ? ({ id: "1", email: address, emailVerified: null } satisfies AdapterUser) : null
    },
  })
  return { found: user?.email, asked }
}

describe("ACC-07: the user of an address", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    ["ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
    ["ada@xn--bcher-kva.example", "ada@bücher.example"],
    ["ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["ada@bücher.example", "ada@bücher.example"],
    ["ada@shop.bücher.example", "ada@shop.xn--bcher-kva.example"],
    ["用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v"],
  ])("%s is found as %s", async (email, known) => {
    expect((await find(email, known)).found).toBe(known)
  })

  it.each([
    ["ada@example.com"],
    ["ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
    ["ada"],
    [""],
    ["ada@0x7f.1"],
    ["ada@xn--a.example"],
    ["ada@bü cher.example"],
  ])("%j is asked for once", async (email, ...known) => {
    expect((await find(email, ...known)).asked).toEqual([email])
  })

  it("is nobody when neither form is known", async () => {
    expect((await find("ada@bücher.example", "ada@example.com", "eva@bücher.example")).found).toBeUndefined()
  })

  it("is the one whose address is written as it was given, when there are both", async () => {
    const both = ["ada@xn--bcher-kva.example", "ada@bücher.example"]
    for (const email of both) expect((await find(email, ...both)).found).toBe(email)
  })
})

describe("SEC-18: a store that does not compare exactly", () => {
  /** What the lookup finds where the store returns a user of this address for every other one. */
  async function lookUp(asked: string, stored: unknown) {
    const warnings: string[] = []
    const logger = createLogger({ logger: { warn: (code) => void warnings.push(String(code)) } })
    // A store may return what its type does not allow.
    const getUserByEmail = async () => ({ id: "1", email: stored, emailVerified: null }) as AdapterUser
    const adapter: Adapter = { getUserByEmail, transaction: (work) => work(adapter) }
    const store = accountStore(bindAdapter(adapter, logger))
    const found = [
      await findByEmail(asked, store),
      await store.transaction?.((within) => findByEmail(asked, accountStore(within))),
    ]
    return { found: found.map((user) => user?.id), warnings }
  }

  it.each([
    ["adá@example.com", "ada@example.com"],
    ["ada@exámple.com", "ada@example.com"],
    ["ada@example.com ", "ada@example.com"],
    ["ada?evil@evil.test", "ada?x@example.com"],
    ["straße@example.com", "strasse@example.com"],
    ["\u212Aelvin@example.com", "kelvin@example.com"],
    ["ada@example.com/x.evil.test", "ada@example.com"],
    ["ada@ex%61mple.com", "ada@example.com"],
    ["ada@example.com#.evil.test", "ada@example.com"],
    ["\uFB01ona@example.com", "fiona@example.com"],
    ["\uFF41da@example.com", "ada@example.com"],
  ])("does not find %s by %s, and warns once", async (asked, stored) => {
    expect(await lookUp(asked, stored)).toEqual({ found: [undefined, undefined], warnings: ["look-alike-address"] })
  })

  it.each([
    ["ada@example.com", "Ada@Example.com"],
    ["ada@xn--bcher-kva.example", "ada@Bücher.example"],
    ["ada@example.com", "ada@\uFF45xample.com"],
    ["ada@example.com", undefined],
  ])("finds %s as %s", async (asked, stored) => {
    expect(await lookUp(asked, stored)).toEqual({ found: ["1", "1"], warnings: [] })
  })
})
