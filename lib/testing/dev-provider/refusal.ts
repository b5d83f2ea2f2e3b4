/** Where the answer to an authorization request goes. */
export interface Destination {
  readonly redirectUri: string
  readonly responseMode: "query" | "form_post"
  readonly state: string | undefined
}

/** A request that is refused, by the code and the words of RFC 6749 §4.1.2.1 and §5.2. */
export class Refusal extends Error {
  /** The HTTP status, where it is not the application that is told through the browser. */
  readonly status: number
  /** The application, when it is known to be the right one; without it, whoever is at the browser reads it. */
  readonly to: Destination | undefined

  constructor(
    readonly code: string,
    description: string,
    { status = 400, to }: { readonly status?: number; readonly to?: Destination } = {},
  ) {
    super(description)
    this.status = status
    this.to = to
  }
}
