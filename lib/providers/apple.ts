import { createPrivateKey, type KeyObject } from "node:crypto"
import { SignJWT } from "jose"
import { firstText, fullName, type OtherMembers, oidcProvider } from "../provider-kit/define.js"
import type { ClientSecret, OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { hasVerifiedEmail, ownVariable, providerVariable, variableName } from "../provider-kit/vendor.js"

/**
 * The `user` parameter that Apple posts the first time a user consents, and never again. It comes from the browser and
 * is not signed, so the name is for display only and the address is ignored.
 * @see https://developer.apple.com/documentation/signinwithapple/incorporating-sign-in-with-apple-into-other-platforms
 */
export interface AppleUser {
  name?: { firstName?: string; lastName?: string }
  email?: string
}

/** @see https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple */
export interface AppleProfile extends OtherMembers {
  iss: "https://appleid.apple.com"
  /** Unique per developer team. */
  sub: string
  aud: string
  iat: number
  exp: number
  nonce?: string
  nonce_supported?: boolean
  email: string
  email_verified: boolean | "true" | "false"
  /** Whether the address is a private relay address that forwards to the user. */
  is_private_email: boolean | "true" | "false"
  /** 0 unsupported, 1 unknown, 2 likely a real user. */
  real_user_status?: number
  auth_time: number
  transfer_sub?: string
  /** On the first sign-in only. */
  user?: AppleUser
}

/** The key from which client secrets are generated. */
export interface AppleKey {
  /** Ten characters, shown at the top right of Apple's developer pages. */
  teamId: string
  /** Ten characters, the id of a key with "Sign in with Apple" enabled. */
  keyId: string
  /** The content of the `.p8` file. Line breaks may be written as `\n`. */
  privateKey: string
}

/** Options of the factory. Apple's key can be given instead of a client secret. */
export type AppleOptions = OIDCUserConfig<AppleProfile> & { [name in keyof AppleKey]?: string | undefined }

/** The key options and the suffixes of their environment variables. */
const KEY_OPTIONS = { teamId: "TEAM_ID", keyId: "KEY_ID", privateKey: "PRIVATE_KEY" } as const

const ISSUER = "https://appleid.apple.com"
/** Apple allows six months. Each generated secret is used for one request only, so five minutes suffice. */
const SECRET_LIFETIME_SECONDS = 300

/**
 * Returns the key that signs client secrets. The environment variables of the key are read only if no client secret is
 * configured. Undefined if no part of the key is set.
 * @throws TypeError that names the missing parts of the key
 */
function readKey(options: AppleOptions): AppleKey | undefined {
  // With another id, AUTH_APPLE_SECRET is the secret of another client, so only the variable of this id is read.
  const hasSecret = options.clientSecret || ownVariable("apple", "SECRET", options)
  const read = (name: keyof AppleKey) =>
    options[name] || (hasSecret ? undefined : providerVariable("apple", KEY_OPTIONS[name], options))
  const [teamId, keyId, privateKey] = [read("teamId"), read("keyId"), read("privateKey")]
  if (teamId && keyId && privateKey) return { teamId, keyId, privateKey }
  if (!teamId && !keyId && !privateKey) return undefined
  const missing = Object.entries(KEY_OPTIONS).filter(([name]) => !{ teamId, keyId, privateKey }[name as keyof AppleKey])
  throw new TypeError(
    `Apple: ${missing.map(([name]) => name).join(" and ")} is missing: teamId, keyId and privateKey are needed together. ` +
      `Set ${missing.map(([, end]) => variableName("apple", end, options)).join(" and ")}, or write { teamId: "…", keyId: "…", privateKey: "…" }`,
  )
}

/** @throws TypeError if the text is not a P-256 private key */
function parseKey(text: string): KeyObject {
  try {
    const key = createPrivateKey(text.replaceAll("\\n", "\n").trim())
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key
  } catch {
    // Reported below without the value, which is a secret.
  }
  throw new TypeError(
    'Apple: privateKey is not a P-256 key in PEM format. Set it to the whole text of the .p8 file, from "-----BEGIN PRIVATE KEY-----" on',
  )
}

/**
 * Returns a function that generates a client secret: a JWT signed with the developer's key.
 * @see https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
function createSecret({ teamId, keyId, privateKey }: AppleKey): ClientSecret {
  const key = parseKey(privateKey)
  return ({ clientId }) => {
    const nowSeconds = Math.floor(Date.now() / 1000)
    return new SignJWT({ iat: nowSeconds, exp: nowSeconds + SECRET_LIFETIME_SECONDS })
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience(ISSUER)
      .sign(key)
  }
}

/**
 * Sign-in with Apple.
 * Environment: `AUTH_APPLE_ID` (the Services ID), and either `AUTH_APPLE_TEAM_ID`, `AUTH_APPLE_KEY_ID` and
 * `AUTH_APPLE_PRIVATE_KEY`, or `AUTH_APPLE_SECRET`, a JWT that you signed yourself.
 * Console: https://developer.apple.com/account/resources/identifiers/list/serviceId
 * - `AUTH_APPLE_PRIVATE_KEY` is the content of the `.p8` file; line breaks may be written as `\n`. latchkey uses this
 *   key to sign a new client secret for each request that needs one. The options for the key are `teamId`, `keyId` and
 *   `privateKey`.
 * - Apple accepts the JWT in `AUTH_APPLE_SECRET` for at most six months.
 * - The redirect URI must be https; Apple rejects localhost.
 * - Apple sends its response as a form POST (`response_mode=form_post`). This needs no configuration.
 * - Apple sends the name only at the first consent, in `profile.user.name`. The name is not signed, so use it for
 *   display only. The email address is always signed. To receive the name again, remove the application in the settings
 *   of the Apple account.
 * - The user has no picture.
 * @throws TypeError if a part of the key is missing or `privateKey` is invalid
 */
export default function Apple(options: AppleOptions = {}): OIDCConfig<AppleProfile> {
  const key = readKey(options)
  return oidcProvider<AppleProfile>("apple", "Apple", {
    issuer: ISSUER,
    ...(key && { clientSecret: createSecret(key) }),
    isEmailVerified: hasVerifiedEmail,
    // Apple sends the name and the address only with form_post.
    authorization: { params: { scope: "name email", response_mode: "form_post" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Apple's metadata does not list PKCE.
    checks: ["nonce", "state"],
    user: ({ sub, user, email }) => ({
      id: sub,
      name: fullName(user?.name?.firstName, user?.name?.lastName) ?? firstText(email),
      email,
    }),
    brandColor: "#000",
  })(options)
}
