import { createPrivateKey, type KeyObject } from "node:crypto"
import { SignJWT } from "jose"
import type { ClientSecret, OIDCConfig, OIDCUserConfig } from "./provider.js"
import { firstText, fullName, ownVariableOf, requireId, saysVerified, variableName, variableOf } from "./vendor.js"

/**
 * What Apple posts as `user`, the first time a person agrees and never again. It is not signed: it comes from the
 * browser, so its name is only something to call a person by, and its address is not used at all.
 * @see https://developer.apple.com/documentation/signinwithapple/incorporating-sign-in-with-apple-into-other-platforms
 */
export interface AppleUser {
  name?: { firstName?: string; lastName?: string }
  email?: string
}

/**
 * The claims of Apple's id_token.
 * @see https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple
 */
export interface AppleProfile {
  iss: "https://appleid.apple.com"
  /** Differs between developer teams. */
  sub: string
  aud: string
  iat: number
  exp: number
  nonce?: string
  nonce_supported?: boolean
  email: string
  email_verified: boolean | "true" | "false"
  /** Is the address one that Apple forwards? */
  is_private_email: boolean | "true" | "false"
  /** 0 unsupported, 1 unknown, 2 likely a real person. */
  real_user_status?: number
  auth_time: number
  transfer_sub?: string
  /** On the first sign-in only. */
  user?: AppleUser
  // biome-ignore lint/suspicious/noExplicitAny: Apple adds claims as it grows, as in the contract
  [claim: string]: any
}

/** What Apple gives to a developer who may make client secrets. */
export interface AppleKey {
  /** Ten characters, at the top right of Apple's developer pages. */
  teamId: string
  /** Ten characters, of the key with "Sign in with Apple". */
  keyId: string
  /** The text of the `.p8` file, line ends as they are or as `\n`. */
  privateKey: string
}

/** What the factory takes; Apple's key may stand instead of a ready-made client secret. */
export type AppleOptions = OIDCUserConfig<AppleProfile> & { [name in keyof AppleKey]?: string | undefined }

/** The options of a key, with the ends of their variables. */
const KEY_OPTIONS = { teamId: "TEAM_ID", keyId: "KEY_ID", privateKey: "PRIVATE_KEY" } as const

const ISSUER = "https://appleid.apple.com"
/** Apple takes six months; a secret that is made at each sign-in needs to be good for that one only. */
const SECRET_LIFETIME_SECONDS = 300

/**
 * The key to make secrets with, or undefined where a ready-made secret is used.
 *
 * @throws TypeError naming what is missing
 */
function keyOf(options: AppleOptions): AppleKey | undefined {
  // That of the usual id is the secret of another client.
  const isReadyMade = options.clientSecret || ownVariableOf("apple", "SECRET", options)
  const read = (name: keyof AppleKey) =>
    options[name] || (isReadyMade ? undefined : variableOf("apple", KEY_OPTIONS[name], options))
  const [teamId, keyId, privateKey] = [read("teamId"), read("keyId"), read("privateKey")]
  if (teamId && keyId && privateKey) return { teamId, keyId, privateKey }
  if (!teamId && !keyId && !privateKey) return undefined
  const missing = Object.entries(KEY_OPTIONS).filter(([name]) => !{ teamId, keyId, privateKey }[name as keyof AppleKey])
  throw new TypeError(
    `Apple: ${missing.map(([name]) => name).join(" and ")} is missing beside the others of teamId, keyId and privateKey. ` +
      `Set ${missing.map(([, end]) => variableName("apple", end, options)).join(" and ")}, or write { teamId: "…", keyId: "…", privateKey: "…" }`,
  )
}

/** @throws TypeError when it is no key of Apple's */
function parseKey(text: string): KeyObject {
  try {
    const key = createPrivateKey(text.replaceAll("\\n", "\n").trim())
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key
  } catch {
    // Said below, without what was seen: it is a secret.
  }
  throw new TypeError(
    'Apple: privateKey is no P-256 key in PEM. Give the whole text of the .p8 file, from "-----BEGIN PRIVATE KEY-----" on',
  )
}

/**
 * A client secret as Apple wants it: a JWT signed with the developer's key.
 *
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
 *
 * Environment: `AUTH_APPLE_ID` (the Services ID), `AUTH_APPLE_TEAM_ID`, `AUTH_APPLE_KEY_ID`, `AUTH_APPLE_PRIVATE_KEY`; or
 * `AUTH_APPLE_SECRET`, a JWT that you signed yourself.
 * Redirect URI: `https://example.com/auth/callback/apple`.
 * Console: https://developer.apple.com/account/resources/identifiers/list/serviceId
 *
 * - `AUTH_APPLE_PRIVATE_KEY` is the text of the `.p8` file, its line ends may be written as `\n`. A client secret is made
 *   of it at each sign-in, so that none runs out. As options: `teamId`, `keyId`, `privateKey`. A secret of your own,
 *   `AUTH_APPLE_SECRET`, is good for six months at most.
 * - Apple takes https only, and not localhost.
 * - Apple posts its answer (`response_mode=form_post`). Nothing has to be set for it: no cookie needs `SameSite=None`.
 * - The name comes once, when a person agrees for the first time, in `profile.user.name`. It is not signed, so take it for
 *   what somebody likes to be called. The address is always the signed one. To see the name again, remove the
 *   application under the Apple account's settings.
 * - There is no picture.
 *
 * @throws TypeError when a part of the key is missing or `privateKey` is none
 * @example
 * import Apple from "latchkey/providers/apple"
 * app.use(authMiddleware({ providers: [Apple] }))
 */
export default function Apple(options: AppleOptions = {}): OIDCConfig<AppleProfile> {
  const key = keyOf(options)
  return {
    id: "apple",
    name: "Apple",
    type: "oidc",
    issuer: ISSUER,
    ...(key && { clientSecret: createSecret(key) }),
    isEmailVerified: saysVerified,
    // Apple gives the name and the address only to those who let it post them.
    authorization: { params: { scope: "name email", response_mode: "form_post" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Apple's metadata does not list PKCE.
    checks: ["nonce", "state"],
    profile({ sub, user, email }) {
      return {
        id: requireId("Apple", sub),
        name: fullName(user?.name?.firstName, user?.name?.lastName) ?? firstText(email),
        email: firstText(email),
        image: null,
      }
    },
    style: { brandColor: "#000" },
    options,
  }
}
