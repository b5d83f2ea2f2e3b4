import type { Endpoint, ProviderMode } from "../../support/faulty-provider.js"

/** One test of the suite: what the provider does, and what has to come of it. */
export interface Module {
  readonly name: string
  /** What the relying party meets; follows "signs in with" or "refuses". */
  readonly given: string
  readonly must: "sign in" | "refuse" | "either"
  readonly does: "sign in" | "refuse"
  /** What the suite shows at the end. @default "passed" */
  readonly shows?: "skipped"
  readonly mode?: ProviderMode
  /** The requests that the provider gets, in their order. */
  readonly requests: readonly Endpoint[]
  /** What the relying party's log says of a refusal. */
  readonly reason?: RegExp
  /** What the relying party knows of its registration beside issuer, id and secret. */
  readonly client?: {
    readonly id_token_signed_response_alg?: string
    readonly userinfo_signed_response_alg?: string
  }
  /** The answer comes as a form that the browser posts. */
  readonly usesFormPost?: boolean
  /** Parameters that it adds to the authorization request. */
  readonly asks?: Readonly<Record<string, string>>
  /** It signs in twice, and the provider changes its keys at this moment of the second time. */
  readonly rotatesKeys?: "before the authorization" | "before the signature"
}

export interface Plan {
  readonly name: string
  readonly title: string
  readonly modules: readonly Module[]
}

/** As the test is called. */
export const titleOf = ({ name, does, given }: Module): string =>
  `${name}: ${does === "sign in" ? "signs in with" : "refuses"} ${given}`

type Rest = Partial<Omit<Module, "name" | "given" | "must">>

/** All that a sign-in asks of the provider. */
export const SIGN_IN: readonly Endpoint[] = ["discovery", "authorize", "token", "jwks", "userinfo"]
/** Where the id_token's claims end it. */
export const UP_TO_CLAIMS = SIGN_IN.slice(0, 3)
/** Where the id_token's signature ends it, or what is looked at after that. */
export const UP_TO_SIGNATURE = SIGN_IN.slice(0, 4)

/** The relying party has to sign in. */
export const accepted = (name: string, given: string, rest: Rest = {}): Module => ({
  ...{ name, given, requests: SIGN_IN },
  must: "sign in",
  does: "sign in",
  ...rest,
})

/** It has to refuse. */
export const refused = (name: string, given: string, rest: Rest & { readonly reason: RegExp }): Module => ({
  ...{ name, given, requests: UP_TO_SIGNATURE },
  must: "refuse",
  does: "refuse",
  ...rest,
})

/** It may do either, and refuses. */
export const refusedByChoice = (...row: Parameters<typeof refused>): Module => ({ ...refused(...row), must: "either" })
