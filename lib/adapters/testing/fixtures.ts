import { randomBytes, randomUUID } from "node:crypto"
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterMethod,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"

// Every case uses its own addresses and ids, so that the database need not be empty.

/** Returns a unique string. */
export const uniqueText = (): string => randomBytes(16).toString("hex")

const DAY = 86_400_000

/**
 * Returns a date in the future, or in the past for negative `days`. The date has no milliseconds, because not every
 * database keeps milliseconds, and only the guarantee `milliseconds` requires them.
 */
export const inDays = (days: number): Date => new Date(Math.floor((Date.now() + days * DAY) / 1000) * 1000)

/** Returns a user for `createUser`. The adapter may replace the id. */
export const newUser = (overrides: Partial<AdapterUser> = {}): AdapterUser => ({
  id: randomUUID(),
  email: `${uniqueText()}@example.test`,
  name: "Ada Lovelace",
  image: "https://example.test/ada.png",
  emailVerified: inDays(0),
  ...overrides,
})

type AdapterWith<Method extends AdapterMethod> = Required<Pick<Adapter, Method>>

/** Stores a user. Returns the user with the id that the adapter has assigned. */
export async function storeUser(
  adapter: AdapterWith<"createUser">,
  overrides: Partial<AdapterUser> = {},
): Promise<AdapterUser> {
  const user = newUser(overrides)
  const { id } = await adapter.createUser(user)
  return { ...user, id }
}

/** Returns an account without tokens. */
export const bareAccount = (userId: string): AdapterAccount => ({
  userId,
  type: "oauth",
  provider: "example",
  providerAccountId: uniqueText(),
})

/** Returns an account with every token and every other optional member of a token response. */
export const newAccount = (userId: string, overrides: Partial<AdapterAccount> = {}): AdapterAccount => ({
  ...bareAccount(userId),
  access_token: uniqueText(),
  expires_at: 2_592_000,
  id_token: uniqueText(),
  refresh_token: uniqueText(),
  token_type: "bearer",
  scope: "user",
  session_state: uniqueText(),
  ...overrides,
})

/** Returns the two members that identify an account. Some adapters reject further members. */
export const accountKey = ({ provider, providerAccountId }: AdapterAccount) => ({ provider, providerAccountId })

/** Returns a session that expires in seven days. */
export const newSession = (userId: string) => ({ sessionToken: uniqueText(), userId, expires: inDays(7) })

/** Returns an email link. Its token is a random string, like the hash that an adapter receives. */
export const newLink = (overrides: Partial<VerificationToken> = {}): VerificationToken => ({
  identifier: `${uniqueText()}@example.test`,
  token: uniqueText(),
  expires: inDays(0.01),
  ...overrides,
})

/** Returns a passkey. Its credential id and public key are in standard base64. */
export const newPasskey = (userId: string, overrides: Partial<AdapterAuthenticator> = {}): AdapterAuthenticator => ({
  userId,
  providerAccountId: uniqueText(),
  credentialID: randomBytes(32).toString("base64"),
  credentialPublicKey: randomBytes(77).toString("base64"),
  counter: 0,
  credentialBackedUp: true,
  credentialDeviceType: "multiDevice",
  transports: "internal,hybrid",
  ...overrides,
})

/** Stores a user with an account, and returns both. */
export async function storeAccount(adapter: AdapterWith<"createUser" | "linkAccount">) {
  const user = await storeUser(adapter)
  const account = newAccount(user.id)
  await adapter.linkAccount(account)
  return { user, account }
}

/** Stores a user with a session, and returns both. */
export async function storeSession(adapter: AdapterWith<"createUser" | "createSession">) {
  const user = await storeUser(adapter)
  const session = newSession(user.id)
  await adapter.createSession(session)
  return { user, session }
}

/** Stores a user with a passkey, and returns both. */
export async function storePasskey(
  adapter: AdapterWith<"createUser" | "createAuthenticator">,
  overrides: Partial<AdapterAuthenticator> = {},
) {
  const user = await storeUser(adapter)
  const passkey = newPasskey(user.id, overrides)
  await adapter.createAuthenticator(passkey)
  return { user, passkey }
}
