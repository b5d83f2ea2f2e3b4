import { randomBytes } from "node:crypto"
import { createAgain } from "../../../lib/security/again.js"

const tags = (count: number) => Array.from({ length: count }, () => randomBytes(32).toString("base64url"))

describe("what comes again", () => {
  it("is known from the second time on", () => {
    const comesAgain = createAgain()
    const some = tags(1_000)
    for (const tag of some) comesAgain(tag)
    expect(some.filter(comesAgain)).toEqual(some)
  })

  it("is told from what comes once, however many come", () => {
    const comesAgain = createAgain()
    const taken = tags(200_000).filter(comesAgain)
    expect(taken.length).toBeLessThan(200_000 / 30)
  })
})
