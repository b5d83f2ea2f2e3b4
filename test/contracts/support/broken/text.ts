import type { AdapterAccount, AdapterAuthenticator } from "../../../../lib/adapters/adapter.js"
import { comparing, type Defect } from "./defect.js"

type Account = Pick<AdapterAccount, "provider" | "providerAccountId">

/** Defects in text comparison; each breaks exactly one guarantee. */
export const BROKEN_TEXT: readonly Defect[] = [
  {
    name: "joins provider and id with a colon",
    guarantee: "two-part-keys",
    foundBy: ["linkAccount keeps provider and id apart"],
    change: (good) => ({
      getUserByAccount: ({ provider, providerAccountId }: Account) => {
        const [first = "", ...rest] = `${provider}:${providerAccountId}`.split(":")
        return good.getUserByAccount({ provider: first, providerAccountId: rest.join(":") })
      },
    }),
  },
  {
    name: "ignores accents and surrounding spaces",
    guarantee: "exact-text",
    foundBy: [
      "getUserByEmail finds an address by its exact text",
      "createUser distinguishes addresses that differ in an accent",
      "getUserByAccount finds an account by its exact text",
      "useVerificationToken compares address and token exactly",
      "getSessionAndUser compares the token exactly",
    ],
    change: (good) => comparing(good, (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").trim()),
  },
  {
    name: "ignores case",
    guarantee: "exact-text",
    foundBy: [
      "getUserByEmail finds an address by its exact text",
      "getUserByAccount finds an account by its exact text",
      "useVerificationToken compares address and token exactly",
      "getSessionAndUser compares the token exactly",
      "getAuthenticator distinguishes credential ids that differ in case",
      "renameAuthenticator and deleteAuthenticator distinguish credential ids that differ in case",
    ],
    change(good) {
      const known = new Map<string, string>()
      const taken = (id: string) => known.get(id.toLowerCase()) ?? id
      return {
        ...comparing(good, (text) => (/^[0-9a-fe]+$|@/i.test(text) ? text.toLowerCase() : text)),
        getAuthenticator: async (id: string) => good.getAuthenticator(taken(id)),
        deleteAuthenticator: async (id: string) => good.deleteAuthenticator(taken(id)),
        renameAuthenticator: async (id: string, name: string | null) => good.renameAuthenticator(taken(id), name),
        async createAuthenticator(passkey: AdapterAuthenticator) {
          known.set(passkey.credentialID.toLowerCase(), passkey.credentialID)
          return good.createAuthenticator(passkey)
        },
      }
    },
  },
]
