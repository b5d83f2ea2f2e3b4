import { randomBytes, randomUUID } from "node:crypto"
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterClaim,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"

// Every case uses addresses and ids of its own, so that the store need not be empty.

/** Text that was not there before. */
export const fresh = (): string => randomBytes(16).toString("hex")

const DAY = 86_400_000

/** A point in time without milliseconds: not every store keeps them, and only one part of the contract asks for them. */
export const inDays = (days: number): Date => new Date(Math.floor((Date.now() + days * DAY) / 1000) * 1000)

/** A user as the engine hands one over, with an id that the adapter may replace. */
export const newUser = (own: Partial<AdapterUser> = {}): AdapterUser => ({
  id: randomUUID(),
  email: `${fresh()}@example.test`,
  name: "Ada Lovelace",
  image: "https://example.test/ada.png",
  emailVerified: inDays(0),
  ...own,
})

/** A user in the store: what it was given, with the id that it has there. */
export async function storeUser(
  adapter: Required<Pick<Adapter, "createUser">>,
  own: Partial<AdapterUser> = {},
): Promise<AdapterUser> {
  const user = newUser(own)
  const { id } = await adapter.createUser(user)
  return { ...user, id }
}

/** An account with every token that the interface names. */
export const newAccount = (userId: string, own: Partial<AdapterAccount> = {}): AdapterAccount => ({
  userId,
  type: "oauth",
  provider: "example",
  providerAccountId: fresh(),
  access_token: fresh(),
  expires_at: 2_592_000,
  id_token: fresh(),
  refresh_token: fresh(),
  token_type: "bearer",
  scope: "user",
  session_state: fresh(),
  ...own,
})

/** An account without any token, as the sign-in by e-mail or passkey makes it. */
export const bareAccount = (userId: string, own: Partial<AdapterAccount> = {}): AdapterAccount => ({
  userId,
  type: "oauth",
  provider: "example",
  providerAccountId: fresh(),
  ...own,
})

/** What the interface finds an account by; some stores refuse a key with more in it. */
export const keyOf = ({
  provider,
  providerAccountId,
}: AdapterAccount): Pick<AdapterAccount, "provider" | "providerAccountId"> => ({
  provider,
  providerAccountId,
})

export const newSession = (userId: string) => ({ sessionToken: fresh(), userId, expires: inDays(7) })

/** A sign-in link; the token is a hash already when an adapter sees it. */
export const newLink = (own: Partial<VerificationToken> = {}): VerificationToken => ({
  identifier: `${fresh()}@example.test`,
  token: fresh(),
  expires: inDays(0.01),
  ...own,
})

/** Something that is good once. */
export const newClaim = (own: Partial<AdapterClaim> = {}): AdapterClaim => ({
  id: randomUUID(),
  expires: inDays(0.01),
  ...own,
})

/** A passkey, its bytes in standard base64. */
export const newPasskey = (userId: string, own: Partial<AdapterAuthenticator> = {}): AdapterAuthenticator => ({
  userId,
  providerAccountId: fresh(),
  credentialID: randomBytes(32).toString("base64"),
  credentialPublicKey: randomBytes(77).toString("base64"),
  counter: 0,
  credentialBackedUp: true,
  credentialDeviceType: "multiDevice",
  transports: "internal,hybrid",
  ...own,
})
