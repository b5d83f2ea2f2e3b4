/**
 * The cases of the catalogue: what each provider's public documentation states, for the tests of all providers.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { User } from "../../../lib/types.js"

/** The facts that are compared with the same provider of Auth.js. `user` is the result of `profile()`. */
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

/** A response of a vendor's API, in its documented form. */
export interface ApiAnswer {
  /** Sent as JSON. A Buffer or a string is sent unchanged. */
  readonly body: unknown
  /** Sends the body as the claims of a signed token of type "application/jwt". */
  readonly signedWith?: "RS256" | "ES256"
  /** @default 200 */
  readonly status?: number
  /** @default "application/json" */
  readonly type?: string
  /** Headers that the call must have. The default of `authorization` is `Bearer <access token>`; "" means no header. */
  readonly sent?: Readonly<Record<string, string>>
  /** The body that the call must have. */
  readonly sentBody?: string
}

export interface ProviderCase {
  /** The options that this provider needs besides `clientId` and `clientSecret`. */
  readonly options?: Readonly<Record<string, unknown>>
  /** The same options as environment variables. For the option `issuer`, `AUTH_<ID>_ISSUER` is set automatically. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * The authorization request. `response_type`, `client_id`, `redirect_uri` and the parameters of `checks` are added. A
   * parameter that is undefined here must be missing.
   */
  readonly start: { readonly url: string; readonly params?: Readonly<Record<string, string | undefined>> }
  readonly checks: readonly ("pkce" | "state" | "nonce")[]
  /** The URL of the discovery document, and its members that matter here. `jwks_uri` is required. */
  readonly discovery?: { readonly url: string; readonly document: Readonly<Record<string, unknown>> }
  /** The documented claims of the id_token. `iss`, `aud`, `iat`, `exp` and `nonce` are added if they are missing. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** @default "RS256" */
  readonly idTokenAlg?: "RS256" | "ES256" | "HS256"
  readonly token: {
    readonly url: string
    /** @default "POST" */
    readonly method?: "GET" | "POST"
    /** The client authentication. "own" means that `form` and `sent` contain it. @default "basic" */
    readonly auth?: "basic" | "post" | "none" | "own"
    /** Changes to the standard form: additional fields, other values, or undefined for a missing field. */
    readonly form?: Readonly<Record<string, string | undefined>>
    /** Headers that the request must have. */
    readonly sent?: Readonly<Record<string, string>>
    /** @default 200 */
    readonly status?: number
    /** The documented response. */
    readonly answer: Readonly<Record<string, unknown>>
    /** The documented response to an unknown code. */
    readonly refusal?: { readonly status: number; readonly body: unknown; readonly type?: string }
  }
  /** The responses to the API calls after the token request, by "GET https://…" with the query. Each call is required. */
  readonly api?: Readonly<Record<string, ApiAnswer>>
  /** The path of the account id in the profile: "data.id". */
  readonly id: string
  /** The user who signs in with these responses. `id` is the account id. */
  readonly user: Required<Pick<User, "id" | "name" | "email" | "image">>
  /** The value of `profile.email_verified`. Required if the provider's own code sets it. */
  readonly emailVerified?: boolean
  /** Profiles with missing or different members, and the users to which they are mapped. */
  readonly also?: readonly { readonly profile: object; readonly user: Partial<ProviderCase["user"]> }[]
  /** Options that change the authorization request. The parameters are added to those of `start`. */
  readonly variants?: readonly {
    readonly options: Readonly<Record<string, unknown>>
    readonly start: { readonly url?: string; readonly params?: Readonly<Record<string, string | undefined>> }
    readonly discovery?: ProviderCase["discovery"]
  }[]
  /** The codes of the warnings at start-up. @default none */
  readonly warnings?: readonly string[]
  /** Facts that differ from the same provider of Auth.js, with the reason. A fact that no longer differs fails the test. */
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
