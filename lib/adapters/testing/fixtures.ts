import { randomBytes, randomUUID } from "node:crypto"
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterMethod,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"

// Every case uses its own addresses and ids, so the store need not be empty.

/** A unique string. */
export const fresh = (): string => randomBytes(16).toString("hex")

const DAY = 86_400_000

/** A date without milliseconds, because not every store keeps them and only one guarantee requires them. */
export const inDays = (days: number): Date => new Date(Math.floor((Date.now() + days * DAY) / 1000) * 1000)

/** A user as passed to createUser, with an id that the adapter can replace. */
export const newUser = (own: Partial<AdapterUser> = {}): AdapterUser => ({
  id: randomUUID(),
  email: `${fresh()}@example.test`,
  name: "Ada Lovelace",
  image: "https://example.test/ada.png",
  emailVerified: inDays(0),
  ...own,
})

type AdapterWith<Method extends AdapterMethod> = Required<Pick<Adapter, Method>>

/** A stored user: the given members, with the id assigned by the adapter. */
export async function storeUser(
  adapter: AdapterWith<"createUser">,
  own: Partial<AdapterUser> = {},
): Promise<AdapterUser> {
  const user = newUser(own)
  const { id } = await adapter.createUser(user)
  return { ...user, id }
}

/** An account without tokens, as created by sign-in with an email link or a passkey. */
export const bareAccount = (userId: string): AdapterAccount => ({
  userId,
  type: "oauth",
  provider: "example",
  providerAccountId: fresh(),
})

/** An account with every token of the interface. */
export const newAccount = (userId: string, own: Partial<AdapterAccount> = {}): AdapterAccount => ({
  ...bareAccount(userId),
  access_token: fresh(),
  expires_at: 2_592_000,
  id_token: fresh(),
  refresh_token: fresh(),
  token_type: "bearer",
  scope: "user",
  session_state: fresh(),
  ...own,
})

/** The key of an account. Some stores reject a key with additional members. */
export const accountKey = ({ provider, providerAccountId }: AdapterAccount) => ({ provider, providerAccountId })

export const newSession = (userId: string) => ({ sessionToken: fresh(), userId, expires: inDays(7) })

/** An email link. The adapter receives the token as a hash. */
export const newLink = (own: Partial<VerificationToken> = {}): VerificationToken => ({
  identifier: `${fresh()}@example.test`,
  token: fresh(),
  expires: inDays(0.01),
  ...own,
})

/** A passkey, with bytes in standard base64. */
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

/** A stored account with its user. */
export async function storeAccount(adapter: AdapterWith<"createUser" | "linkAccount">) {
  const user = await storeUser(adapter)
  const account = newAccount(user.id)
  await adapter.linkAccount(account)
  return { user, account }
}

/** A stored session with its user. */
export async function storeSession(adapter: AdapterWith<"createUser" | "createSession">) {
  const user = await storeUser(adapter)
  const session = newSession(user.id)
  await adapter.createSession(session)
  return { user, session }
}

/** A stored passkey with its user. */
export async function storePasskey(
  adapter: AdapterWith<"createUser" | "createAuthenticator">,
  own: Partial<AdapterAuthenticator> = {},
) {
  const user = await storeUser(adapter)
  const passkey = newPasskey(user.id, own)
  await adapter.createAuthenticator(passkey)
  return { user, passkey }
}
