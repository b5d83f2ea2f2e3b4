import type { Claims, Endpoint, ProviderMode } from "../../support/faulty-provider.js"

/** One module of the suite: the provider's behaviour and the expected outcome. */
export interface Module {
  readonly name: string
  /** What the relying party receives; completes "signs in with" or "refuses". */
  readonly given: string
  readonly must: "sign in" | "refuse" | "sign out" | "refresh" | "either"
  readonly does: "sign in" | "refuse" | "sign out" | "refresh"
  /** The suite's final result. @default "passed" */
  readonly shows?: "skipped"
  readonly mode?: ProviderMode
  /** The expected requests at the provider, in order. */
  readonly requests: readonly Endpoint[]
  /** The logged reason of a refusal. */
  readonly reason?: RegExp
  /** Registered metadata besides issuer, id and secret. */
  readonly client?: {
    readonly id_token_signed_response_alg?: string
    readonly userinfo_signed_response_alg?: string
  }
  /** The response is a form that the browser posts. */
  readonly usesFormPost?: boolean
  /** Additional parameters of the authorization request. */
  readonly asks?: Readonly<Record<string, string>>
  /** Signs in twice; the provider rotates its keys at this moment of the second sign-in. */
  readonly rotatesKeys?: "before the authorization" | "before the signature"
  /** The client and the provider follow the FAPI 2.0 Security Profile. */
  readonly usesFapi?: true
  /** Renews the tokens after the sign-in. */
  readonly refresh?: Refresh
  /** Signs out after the sign-in. */
  readonly logout?: Logout
}

/** A renewal of the tokens. */
export interface Refresh {
  /** Changes the claims of the new id_token. */
  readonly claims?: (claims: Claims) => Claims
  /** The status of the error that the application receives if the renewal is refused. */
  readonly status?: number
}

/** A sign-out, during which the provider posts a logout token. */
export interface Logout {
  /** Changes the claims of the token; `undefined` removes a claim. */
  readonly claims?: (claims: Claims) => Claims
  readonly alg?: ProviderMode["alg"]
  /** What the relying party refuses: the token, or the return from the provider. */
  readonly refuses?: "token" | "return"
}

export interface Plan {
  readonly name: string
  readonly title: string
  /** The title of another plan with modules of the same names. */
  readonly sameModulesAs?: string
  readonly modules: readonly Module[]
}

const OUTCOMES = {
  "sign in": "signs in with",
  "sign out": "signs out with",
  refresh: "refreshes with",
  refuse: "refuses",
} as const

/** The title of the module's test. */
export const titleOf = ({ name, does, given }: Module): string => `${name}: ${OUTCOMES[does]} ${given}`

type Rest = Partial<Omit<Module, "name" | "given" | "must">>

/** The requests of a complete sign-in. */
export const SIGN_IN: readonly Endpoint[] = ["discovery", "authorize", "token", "jwks", "userinfo"]
/** The requests until the id_token's claims are rejected. */
export const UP_TO_CLAIMS = SIGN_IN.slice(0, 3)
/** The requests until the id_token's signature, or a later check, is rejected. */
export const UP_TO_SIGNATURE = SIGN_IN.slice(0, 4)

/** The relying party must sign in. */
export const accepted = (name: string, given: string, rest: Rest = {}): Module => ({
  ...{ name, given, requests: SIGN_IN },
  must: "sign in",
  does: "sign in",
  ...rest,
})

/** The relying party must refuse. */
export const refused = (name: string, given: string, rest: Rest & { readonly reason: RegExp }): Module => ({
  ...{ name, given, requests: UP_TO_SIGNATURE },
  must: "refuse",
  does: "refuse",
  ...rest,
})

/** The requests of a sign-in and a renewal. The metadata is requested again after an hour. */
const RENEWAL: readonly Endpoint[] = [...SIGN_IN, "discovery", "token"]

/** The relying party must renew tokens, and call the API with the new one. */
export const refreshed = (name: string, given: string): Module => ({
  ...{ name, given, requests: [...RENEWAL, "userinfo"] },
  ...{ must: "refresh", does: "refresh", refresh: {} },
})

/** The relying party must refuse new tokens, and must not use them. */
export const refusedRefresh = (
  name: string,
  given: string,
  { reason, ...refresh }: Required<Refresh> & { readonly reason: RegExp },
): Module => ({ ...refused(name, given, { reason }), requests: RENEWAL, refresh })

/** The requests of two sign-ins and a sign-out. */
const SIGN_OUT: readonly Endpoint[] = [...SIGN_IN, "authorize", "token", "userinfo", "end_session"]

/** The relying party must sign out. */
export const signedOut = (name: string, given: string, rest: Rest = {}): Module => ({
  ...{ name, given, requests: SIGN_OUT },
  ...{ must: "sign out", does: "sign out", logout: {} },
  ...rest,
})

/** The relying party must refuse a part of a sign-out. */
export const refusedLogout = (
  name: string,
  given: string,
  rest: Rest & { readonly reason: RegExp; readonly logout: Logout },
): Module => ({ ...refused(name, given, rest), requests: SIGN_OUT })

/** The relying party may do either, and refuses. */
export const refusedByChoice = (...row: Parameters<typeof refused>): Module => ({ ...refused(...row), must: "either" })
