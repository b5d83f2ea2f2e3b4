import type { AdapterAuthenticator } from "../../../../lib/adapters/adapter.js"
import type { Defect, Methods } from "./defect.js"

const NAMES_ONE = "renameAuthenticator sets and removes the name of one passkey"
const DELETES_ONE = "deleteAuthenticator deletes only the given passkey"
const LEAVES_NOTHING = "deleteAuthenticator removes all data of a passkey, so that another user can store it"
const KEEPS_NAME = "updateAuthenticatorCounter keeps the name and the creation time of a passkey"

/** The passkeys of the user who owns this one. */
async function siblingsOf(good: Methods, id: string): Promise<readonly AdapterAuthenticator[]> {
  const passkey = await good.getAuthenticator(id)
  return passkey ? await good.listAuthenticatorsByUserId(passkey.userId) : []
}

/** Defects in managing passkeys. */
export const BROKEN_PASSKEYS: readonly Defect[] = [
  {
    name: "stores the passed creation time of a passkey",
    foundBy: ["createAuthenticator sets the creation time itself and ignores a name"],
    change(good) {
      const given = new Map<string, Date | null | undefined>()
      return {
        async createAuthenticator(passkey: AdapterAuthenticator) {
          given.set(passkey.credentialID, passkey.createdAt)
          return good.createAuthenticator(passkey)
        },
        async getAuthenticator(id: string) {
          const passkey = await good.getAuthenticator(id)
          return passkey && { ...passkey, createdAt: given.get(id) ?? passkey.createdAt }
        },
      }
    },
  },
  {
    name: "stores the passed name and creation time of a passkey",
    foundBy: ["createAuthenticator sets the creation time itself and ignores a name"],
    change(good) {
      const given = new Map<string, object>()
      return {
        async createAuthenticator(passkey: AdapterAuthenticator) {
          const created = await good.createAuthenticator(passkey)
          given.set(passkey.credentialID, passkey)
          return created
        },
        async getAuthenticator(id: string) {
          const passkey = await good.getAuthenticator(id)
          return passkey && { ...passkey, ...given.get(id) }
        },
      }
    },
  },
  {
    name: "returns passkeys without their creation time",
    foundBy: ["createAuthenticator sets the creation time itself and ignores a name"],
    change: (good) => ({
      async getAuthenticator(id: string) {
        const { createdAt: _, ...passkey } = (await good.getAuthenticator(id)) ?? {}
        return "credentialID" in passkey ? passkey : null
      },
    }),
  },
  {
    name: "renames all passkeys of a user",
    foundBy: [NAMES_ONE],
    change: (good) => ({
      async renameAuthenticator(id: string, name: string | null) {
        for (const { credentialID } of await siblingsOf(good, id)) await good.renameAuthenticator(credentialID, name)
        return good.renameAuthenticator(id, name)
      },
    }),
  },
  {
    name: "rejects an unchanged name of a passkey",
    foundBy: [NAMES_ONE],
    change: (good) => ({
      async renameAuthenticator(id: string, name: string | null) {
        if ((await good.getAuthenticator(id))?.name === name) throw new Error("no row was changed")
        return good.renameAuthenticator(id, name)
      },
    }),
  },
  {
    name: "cannot remove the name of a passkey",
    foundBy: [NAMES_ONE],
    change: (good) => ({
      renameAuthenticator: (id: string, name: string | null) => good.renameAuthenticator(id, name ?? "unnamed"),
    }),
  },
  {
    name: "deletes a passkey's name when its counter increases",
    foundBy: [KEEPS_NAME],
    change: (good) => ({
      async updateAuthenticatorCounter(id: string, counter: number) {
        const updated = await good.updateAuthenticatorCounter(id, counter)
        await good.renameAuthenticator(id, null)
        return updated
      },
    }),
  },
  {
    name: "deletes all passkeys of a user",
    foundBy: [DELETES_ONE],
    change: (good) => ({
      async deleteAuthenticator(id: string) {
        for (const { credentialID } of await siblingsOf(good, id)) await good.deleteAuthenticator(credentialID)
      },
    }),
  },
  {
    name: "deletes the user in deleteAuthenticator",
    foundBy: [DELETES_ONE],
    change: (good) => ({
      async deleteAuthenticator(id: string) {
        const passkey = await good.getAuthenticator(id)
        await good.deleteAuthenticator(id)
        if (passkey) await good.deleteUser(passkey.userId)
      },
    }),
  },
  {
    name: "lists a passkey for its former user",
    foundBy: [LEAVES_NOTHING],
    change(good) {
      const owners = new Map<string, string>()
      const passkeys = new Map<string, AdapterAuthenticator>()
      return {
        async createAuthenticator(passkey: AdapterAuthenticator) {
          const created = await good.createAuthenticator(passkey)
          if (!owners.has(passkey.credentialID)) owners.set(passkey.credentialID, passkey.userId)
          passkeys.set(passkey.credentialID, created)
          return created
        },
        async deleteAuthenticator(id: string) {
          passkeys.delete(id)
          await good.deleteAuthenticator(id)
        },
        listAuthenticatorsByUserId: async (userId: string) => [
          ...(await good.listAuthenticatorsByUserId(userId)),
          ...[...passkeys.values()].filter(
            (each) => each.userId !== userId && owners.get(each.credentialID) === userId,
          ),
        ],
      }
    },
  },
  {
    name: "keeps the name of a deleted passkey",
    foundBy: [LEAVES_NOTHING],
    change(good) {
      const names = new Map<string, string | null>()
      return {
        renameAuthenticator(id: string, name: string | null) {
          if (name !== null) names.set(id, name)
          return good.renameAuthenticator(id, name)
        },
        async createAuthenticator(passkey: AdapterAuthenticator) {
          const created = await good.createAuthenticator(passkey)
          const name = names.get(passkey.credentialID)
          return name === undefined ? created : { ...created, name }
        },
      }
    },
  },
]
