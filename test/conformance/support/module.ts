import type { Endpoint, ProviderMode } from "../../support/faulty-provider.js"

/** One module of the suite: the provider's behaviour and the expected outcome. */
export interface Module {
  readonly name: string
  /** What the relying party receives; completes "signs in with" or "refuses". */
  readonly given: string
  readonly must: "sign in" | "refuse" | "either"
  readonly does: "sign in" | "refuse"
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
}

export interface Plan {
  readonly name: string
  readonly title: string
  /** The title of another plan with modules of the same names. */
  readonly sameModulesAs?: string
  readonly modules: readonly Module[]
}

/** The title of the module's test. */
export const titleOf = ({ name, does, given }: Module): string =>
  `${name}: ${does === "sign in" ? "signs in with" : "refuses"} ${given}`

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

/** The relying party may do either, and refuses. */
export const refusedByChoice = (...row: Parameters<typeof refused>): Module => ({ ...refused(...row), must: "either" })
