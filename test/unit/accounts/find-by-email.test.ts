import { accountAdapter } from "../../../lib/accounts/account-adapter.js"
import { findByEmail } from "../../../lib/accounts/find-by-email.js"
import type { Adapter, AdapterUser } from "../../../lib/adapters/adapter.js"
import { bindAdapter } from "../../../lib/adapters/bind.js"
import { createLogger } from "../../../lib/logging/logger.js"

/**
 * Looks up an address among users with the addresses `known`, and records each address that the adapter is asked for.
 */
async function find(email: string, ...known: string[]): Promise<{ found: string | undefined; lookups: string[] }> {
  const lookups: string[] = []
  const user = await findByEmail(email, {
    async getUserByEmail(address) {
      lookups.push(address)
      return known.includes(address) ? ({ id: "1", email: address, emailVerified: null } satisfies AdapterUser) : null
    },
  })
  return { found: user?.email, lookups }
}

describe("findByEmail (ACC-07)", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    ["ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
    ["ada@xn--bcher-kva.example", "ada@bücher.example"],
    ["ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["ada@bücher.example", "ada@bücher.example"],
    ["ada@shop.bücher.example", "ada@shop.xn--bcher-kva.example"],
    ["用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v"],
  ])("finds the user of %s who is stored as %s", async (email, known) => {
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
  ])("asks the adapter for %j only once", async (email, ...known) => {
    expect((await find(email, ...known)).lookups).toEqual([email])
  })

  it("returns undefined if the adapter knows neither form of the domain", async () => {
    expect((await find("ada@bücher.example", "ada@example.com", "eva@bücher.example")).found).toBeUndefined()
  })

  it("prefers the user whose address is written as in the lookup if both forms are stored", async () => {
    const both = ["ada@xn--bcher-kva.example", "ada@bücher.example"]
    for (const email of both) expect((await find(email, ...both)).found).toBe(email)
  })
})

describe("findByEmail with an adapter that compares addresses loosely (SEC-18)", () => {
  /** Returns what the lookup finds if the adapter returns a user with the address `stored` for any other address. */
  async function lookUp(address: string, stored: unknown) {
    const warnings: string[] = []
    const logger = createLogger({ logger: { warn: (code) => void warnings.push(String(code)) } })
    // The type does not allow every `stored`, but a database may return it.
    const getUserByEmail = async () => ({ id: "1", email: stored, emailVerified: null }) as AdapterUser
    const adapter: Adapter = { getUserByEmail, transaction: (work) => work(adapter) }
    const store = accountAdapter(bindAdapter(adapter, logger))
    const found = [
      await findByEmail(address, store),
      await store.transaction?.((within) => findByEmail(address, accountAdapter(within))),
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
  ])("does not find %s if the adapter returns the user of %s, and warns once", async (address, stored) => {
    expect(await lookUp(address, stored)).toEqual({ found: [undefined, undefined], warnings: ["look-alike-address"] })
  })

  it.each([
    ["ada@example.com", "Ada@Example.com"],
    ["ada@xn--bcher-kva.example", "ada@Bücher.example"],
    ["ada@example.com", "ada@\uFF45xample.com"],
    ["ada@example.com", undefined],
  ])("finds %s if the adapter returns the user of %s", async (address, stored) => {
    expect(await lookUp(address, stored)).toEqual({ found: ["1", "1"], warnings: [] })
  })
})
