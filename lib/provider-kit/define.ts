/**
 * Creates the factories of OAuth and OpenID Connect providers from definitions. A definition contains the data of one
 * vendor; the factories are the same for all vendors.
 *
 * @module
 */

import { isPlainObject } from "../base/merge.js"
import type { User } from "../base/types.js"
import type { OAuth2Config, OAuthUserConfig, OIDCConfig, OIDCUserConfig } from "./provider.js"

/** The members of a profile that its type does not declare. */
// biome-ignore lint/suspicious/noExplicitAny: vendors and their customers add members, as in Auth.js
export type OtherMembers = Record<string, any>

/** The standard claims about a user (OpenID Connect Core §5.1). */
export interface StandardClaims extends OtherMembers {
  sub: string
  name?: string
  given_name?: string
  middle_name?: string
  family_name?: string
  nickname?: string
  preferred_username?: string
  profile?: string
  picture?: string
  website?: string
  email?: string
  email_verified?: boolean
  gender?: string
  birthdate?: string
  zoneinfo?: string
  locale?: string
  phone_number?: string
  phone_number_verified?: boolean
}

/** The claims of an id_token (OpenID Connect Core §2), including the standard claims about the user. */
export interface IdTokenClaims<Audience = string> extends StandardClaims {
  iss: string
  aud: Audience
  iat: number
  exp: number
  auth_time?: number
  nonce?: string
  acr?: string
  /** The authentication methods (RFC 8176); "mfa" after a second factor. */
  amr?: string[]
  azp?: string
  at_hash?: string
  /** The id of the user's session at the provider, which is used for logout. */
  sid?: string
}

/** The values of a profile that become members of the user. A name, email or image that is not text becomes null. */
interface UserFields {
  readonly id: unknown
  readonly name?: unknown
  readonly email?: unknown
  readonly image?: unknown
}

/** The data of one vendor. A definition can have `user` or `profile`, but not both. */
type Definition<Config, P> = Omit<Config, "id" | "name" | "type" | "style" | "options"> & {
  /** Selects the values of the profile that become members of the user. */
  readonly user?: (profile: P) => UserFields
  /** The colour of the button, as a CSS colour. */
  readonly brandColor?: string
  /** "sign-in" if the vendor's brand rules require a button "Sign in with". */
  readonly buttonLabel?: "sign-in"
}

/**
 * Returns the user's id at the vendor as a string.
 *
 * @throws TypeError that names the vendor if the id is missing
 */
export function requireId(vendor: string, id: unknown): string {
  if ((typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint") || id === "" || id === 0)
    throw new TypeError(`${vendor}: the profile has no id`)
  return String(id)
}

/** Returns the first value that is a non-empty string; null if there is none. */
export const firstText = (...values: readonly unknown[]): string | null =>
  values.find((value): value is string => typeof value === "string" && value !== "") ?? null

/** Returns the non-empty strings of the parts, joined with spaces; null if there is none. */
export const fullName = (...parts: readonly unknown[]): string | null =>
  parts.filter((part) => typeof part === "string" && part !== "").join(" ") || null

const toUser = (vendor: string, { id, name, email, image }: UserFields): User => ({
  id: requireId(vendor, id),
  name: firstText(name),
  email: firstText(email),
  image: firstText(image),
})

/** Returns a deep copy of arrays and plain objects. Other values, such as functions, are shared. */
function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepCopy)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, deepCopy(member)]))
}

/** Returns the members that a definition sets. They are copied, so that two providers never share an object. */
function membersFrom<P, Members extends Pick<Definition<object, P>, "user" | "brandColor" | "buttonLabel">>(
  name: string,
  { user, brandColor, buttonLabel, ...members }: Members,
) {
  return {
    // A copy has the type of its original.
    ...(deepCopy(members) as typeof members),
    ...(user && { profile: (profile: P) => toUser(name, user(profile)) }),
    ...(brandColor !== undefined && { style: { brandColor, ...(buttonLabel && { label: buttonLabel }) } }),
  }
}

/**
 * Creates the factory of an OAuth 2.0 provider. The factory takes the application's options.
 *
 * @example
 * const Box = oauthProvider<BoxProfile>("box", "Box", { authorization, token, userinfo, user: ({ id, name }) => ({ id, name }) })
 */
export const oauthProvider =
  <D>(id: string, name: string, definition: Definition<OAuth2Config<D>, D>) =>
  <P extends D = D>(options: OAuthUserConfig<P> = {}): OAuth2Config<P> => ({
    ...membersFrom(name, definition),
    ...{ id, name, type: "oauth", options },
  })

/** Creates the factory of an OpenID Connect provider that has the same issuer for all applications. */
export const oidcProvider =
  <D>(id: string, name: string, definition: Definition<OIDCConfig<D>, D>) =>
  <P extends D = D>(options: OIDCUserConfig<P> = {}): OIDCConfig<P> => ({
    ...membersFrom(name, definition),
    ...{ id, name, type: "oidc", options },
  })

/**
 * Creates the factory of an OpenID Connect provider whose issuer the application sets, because each tenant or
 * self-hosted server has its own issuer.
 */
export const issuerProvider =
  <D>(id: string, name: string, definition: Definition<OIDCConfig<D>, D> = {}) =>
  <P extends D = D>(options: OIDCUserConfig<P> & { issuer: string | undefined }): OIDCConfig<P> => ({
    ...membersFrom(name, definition),
    ...{ id, name, type: "oidc", options },
  })
