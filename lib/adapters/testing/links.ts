import { type AdapterTestCase, defineCases, requireMethods } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectRecord } from "./expect.js"
import { newLink, uniqueText } from "./fixtures.js"

export const linkCases: readonly AdapterTestCase[] = [
  ...requireMethods(
    "has the methods that email links need",
    ["createVerificationToken", "useVerificationToken"],
    "sign-in by email link needs these methods: implement them, or list them in `skip`",
  ),

  ...defineCases(["createVerificationToken", "useVerificationToken"], {
    async "createVerificationToken stores the link"(tools) {
      const link = newLink()
      const created = await tools.adapter.createVerificationToken(link)
      const why = "createVerificationToken returns the given record, or nothing"
      if (created) expectRecord(created, link, { tools, why, added: "id" })
      const { identifier, token } = link
      const used = await tools.adapter.useVerificationToken({ identifier, token })
      expectRecord(used, link, { tools, why: "useVerificationToken returns what createVerificationToken stored" })
    },

    async "useVerificationToken returns the link once"(tools) {
      const link = newLink()
      const { identifier, token } = link
      await tools.adapter.createVerificationToken(link)
      const why = "useVerificationToken returns exactly { identifier, token, expires }"
      expectRecord(await tools.adapter.useVerificationToken({ identifier, token }), link, { tools, why })
      expectNull(
        await tools.adapter.useVerificationToken({ identifier, token }),
        "useVerificationToken returns null the second time: a link is valid once",
      )
    },

    async "useVerificationToken requires the matching address and token"({ adapter }) {
      const [link, other] = [newLink(), newLink()]
      for (const stored of [link, other]) await adapter.createVerificationToken(stored)
      for (const wrong of [
        { identifier: link.identifier, token: uniqueText() },
        { identifier: other.identifier, token: link.token },
        { identifier: uniqueText(), token: link.token },
      ])
        expectNull(
          await adapter.useVerificationToken(wrong),
          "useVerificationToken compares address and token together: either alone must not be enough",
        )
      const used = await adapter.useVerificationToken({ identifier: link.identifier, token: link.token })
      expectEqual(used?.token, link.token, "a wrong address or token does not delete the link")
    },

    async "createVerificationToken keeps earlier links of the same address valid"({ adapter }) {
      const first = newLink()
      const second = newLink({ identifier: first.identifier })
      for (const link of [first, second]) await adapter.createVerificationToken(link)
      for (const { identifier, token } of [first, second]) {
        const used = await adapter.useVerificationToken({ identifier, token })
        expectEqual(
          used?.token,
          token,
          "an address may have several links: users request another link if the first email is slow",
        )
      }
    },
  }),

  ...defineCases(["createVerificationToken", "useVerificationToken", "deleteVerificationTokens"], {
    async "deleteVerificationTokens deletes every link of one address"({ adapter }) {
      const first = newLink()
      const [second, other] = [newLink({ identifier: first.identifier }), newLink()]
      for (const link of [first, second, other]) await adapter.createVerificationToken(link)
      await adapter.deleteVerificationTokens(first.identifier)
      for (const { identifier, token } of [first, second])
        expectNull(
          await adapter.useVerificationToken({ identifier, token }),
          "after deleteVerificationTokens no link of the address is valid",
        )
      const { identifier, token } = other
      const used = await adapter.useVerificationToken({ identifier, token })
      expectEqual(used?.token, token, "deleteVerificationTokens does not change the links of other addresses")
      const why = "deleteVerificationTokens of an address without links is not an error"
      await expectNoError(() => adapter.deleteVerificationTokens(uniqueText()), why)
    },
  }),
]
