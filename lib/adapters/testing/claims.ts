import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectQuiet } from "./expect.js"
import { inDays, newClaim, newLink } from "./fixtures.js"

export const claimCases: readonly ContractCase[] = [
  contractCase({
    name: "claimOnce gives true to the first, and false afterwards",
    needs: ["claimOnce"],
    async check({ adapter }) {
      const claim = newClaim()
      expectEqual(await adapter.claimOnce(claim), true, "claimOnce gives true for an id that nobody has claimed")
      for (const expires of [claim.expires, inDays(1)])
        expectEqual(
          await adapter.claimOnce({ ...claim, expires }),
          false,
          "claimOnce gives false for an id that was claimed and has not expired, whatever end it is given now",
        )
    },
  }),

  contractCase({
    name: "claimOnce keeps ids apart",
    needs: ["claimOnce"],
    async check({ adapter }) {
      const [first, second] = [newClaim(), newClaim()]
      await adapter.claimOnce(first)
      const why = "claimOnce gives true for an id that nobody has claimed, whichever others were"
      expectEqual(await adapter.claimOnce(second), true, why)
      expectEqual(await adapter.claimOnce(first), false, "claimOnce does not forget an id over another one")
    },
  }),

  contractCase({
    name: "claimOnce takes an id whose end has come",
    needs: ["claimOnce"],
    async check({ adapter }) {
      const ended = newClaim({ expires: inDays(-1) })
      const claim = () => adapter.claimOnce(ended)
      const why = "a clock that is ahead is no error: claimOnce gives true to the first all the same"
      expectEqual(await expectQuiet(claim, why), true, why)
      const again = await expectQuiet(claim, "an id that has expired may be claimed again, or not; it is no error")
      expectEqual(typeof again, "boolean", "claimOnce gives true or false")
    },
  }),

  contractCase({
    name: "claimOnce is not in the way of sign-in links, nor they in its",
    needs: ["claimOnce", "createVerificationToken", "useVerificationToken"],
    async check({ adapter }) {
      const claim = newClaim()
      await adapter.claimOnce(claim)
      const asLink = { identifier: claim.id, token: claim.id }
      expectNull(await adapter.useVerificationToken(asLink), "useVerificationToken finds no claim")
      await adapter.deleteVerificationTokens?.(claim.id)
      expectEqual(await adapter.claimOnce(claim), false, "what is done to links leaves claims as they are")
      const link = newLink()
      const { identifier, token } = link
      await adapter.createVerificationToken(link)
      for (const id of [identifier, token])
        expectEqual(await adapter.claimOnce(newClaim({ id })), true, "a link claims no id")
      const used = await adapter.useVerificationToken({ identifier, token })
      expectEqual(used?.token, token, "claimOnce leaves links as they are")
    },
  }),
]
