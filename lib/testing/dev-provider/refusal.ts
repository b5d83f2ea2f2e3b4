/** The target of an authorization response. */
export interface Destination {
  readonly redirectUri: string
  readonly responseMode: "query" | "form_post"
  readonly state: string | undefined
}

/** A rejected request, with an error code of RFC 6749 §4.1.2.1 or §5.2. */
export class Refusal extends Error {
  /** The HTTP status, if the error is not sent to the application through the browser. */
  readonly status: number
  /** The validated application that receives the error. Without it, the error is shown to the visitor. */
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
