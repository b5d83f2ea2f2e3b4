import { findByEmail } from "../../../lib/accounts/find-by-email.js"
import type { AdapterUser } from "../../../lib/adapters/adapter.js"

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

describe("a store that does not compare exactly", () => {
  const giving = (email: unknown) => ({
    // A store may give what its type does not allow.
    getUserByEmail: async () => ({ id: "1", email, emailVerified: null }) as AdapterUser,
  })

  it.each([
    ["adá@example.com", "ada@example.com"],
    ["ada@exámple.com", "ada@example.com"],
    ["ada@example.com ", "ada@example.com"],
    ["ada?evil@evil.test", "ada?x@example.com"],
    ["straße@example.com", "strasse@example.com"],
  ])("does not sign %s in as %s", async (asked, given) => {
    await expect(findByEmail(asked, giving(given))).rejects.toThrow("gave a user of another address")
  })

  it.each([
    ["ada@example.com", "Ada@Example.com"],
    ["ada@xn--bcher-kva.example", "ada@Bücher.example"],
    ["ada@example.com", undefined],
  ])("may know %s as %s", async (asked, given) => {
    expect((await findByEmail(asked, giving(given)))?.email).toBe(given)
  })
})
