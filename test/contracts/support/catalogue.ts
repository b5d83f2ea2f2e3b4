/**
 * What the contract of all providers needs to know of each, from its public documentation.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { User } from "../../../lib/types.js"

/** What is compared with the same provider of Auth.js; `user` is what `profile()` makes. */
export type Fact =
  | "id"
  | "name"
  | "type"
  | "issuer"
  | "wellKnown"
  | "authorizationUrl"
  | "params"
  | "token"
  | "userinfo"
  | "checks"
  | "client"
  | "idToken"
  | "brandColor"
  | "user"

/** One answer of a vendor's API, in its documented shape. */
export interface ApiAnswer {
  /** Sent as JSON; a Buffer as it is, a text as it is. */
  readonly body: unknown
  /** The body is the claims of a token that the vendor's key signs, sent as "application/jwt". */
  readonly signedWith?: "RS256" | "ES256"
  /** @default 200 */
  readonly status?: number
  /** @default "application/json" */
  readonly type?: string
  /** Headers that the call must have. `authorization` is `Bearer <access token>` unless said otherwise; "" is none. */
  readonly sent?: Readonly<Record<string, string>>
  /** The body that the call must have. */
  readonly sentBody?: string
}

export interface ProviderCase {
  /** What this provider needs beside `clientId` and `clientSecret`. */
  readonly options?: Readonly<Record<string, unknown>>
  /** The same as environment variables. An `issuer` among the options needs none: `AUTH_<ID>_ISSUER` is set. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Where a sign-in goes. To the parameters are added: `response_type`, `client_id`, `redirect_uri`, and what `checks`
   * bring. One that is undefined here must not be there.
   */
  readonly start: { readonly url: string; readonly params?: Readonly<Record<string, string | undefined>> }
  readonly checks: readonly ("pkce" | "state" | "nonce")[]
  /** The discovery document: where it must be asked for, and the members that matter here. `jwks_uri` is required. */
  readonly discovery?: { readonly url: string; readonly document: Readonly<Record<string, unknown>> }
  /** The id_token's claims as documented; `iss`, `aud`, `iat`, `exp` and `nonce` are made unless they stand here. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** @default "RS256" */
  readonly idTokenAlg?: "RS256" | "ES256" | "HS256"
  readonly token: {
    readonly url: string
    /** @default "POST" */
    readonly method?: "GET" | "POST"
    /** How the client proves itself; "own" leaves it to `form` and `sent`. @default "basic" */
    readonly auth?: "basic" | "post" | "none" | "own"
    /** Over the standard form: more fields, others, or undefined for none. */
    readonly form?: Readonly<Record<string, string | undefined>>
    /** Headers that the request must have. */
    readonly sent?: Readonly<Record<string, string>>
    /** @default 200 */
    readonly status?: number
    /** The documented answer. */
    readonly answer: Readonly<Record<string, unknown>>
    /** What the vendor documents that it says to a code it does not know. */
    readonly refusal?: { readonly status: number; readonly body: unknown; readonly type?: string }
  }
  /** The calls that follow, by "GET https://…" with the query, each of which must be made. */
  readonly api?: Readonly<Record<string, ApiAnswer>>
  /** Path to what tells people apart in the profile: "data.id". */
  readonly id: string
  /** Who signs in with all of this; `id` is the account. */
  readonly user: Required<Pick<User, "id" | "name" | "email" | "image">>
  /** What `profile.email_verified` is; must stand here where the provider's own code sets it. */
  readonly emailVerified?: boolean
  /** Profiles of which something is missing, or different, and whom they make of it. */
  readonly also?: readonly { readonly profile: object; readonly user: Partial<ProviderCase["user"]> }[]
  /** Options that a sign-in starts differently with; the parameters are added to those of `start`. */
  readonly variants?: readonly {
    readonly options: Readonly<Record<string, unknown>>
    readonly start: { readonly url?: string; readonly params?: Readonly<Record<string, string | undefined>> }
    readonly discovery?: ProviderCase["discovery"]
  }[]
  /** The codes of the warnings at start-up. @default none */
  readonly warnings?: readonly string[]
  /** Facts that are not those of the same provider of Auth.js, and why. One that no longer differs fails. */
  readonly differs?: Readonly<Partial<Record<Fact, string>>>
}

const FOLDER = join(__dirname, "../catalogue")

/** The providers that have a case: `catalogue/<id>.ts`. */
export const CATALOGUE: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length))

export async function loadCase(id: string): Promise<ProviderCase> {
  const { default: found }: { default: ProviderCase } = await import(join(FOLDER, id))
  return found
}
