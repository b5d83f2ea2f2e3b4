/** Where and how an authorization response is sent. */
export interface Destination {
  readonly redirectUri: string
  readonly responseMode: "query" | "form_post"
  readonly state: string | undefined
}

/** A rejected request, with an error code of RFC 6749 §4.1.2.1 or §5.2. */
export class Refusal extends Error {
  /** The HTTP status of the error response. Not used if the error is redirected to the application. */
  readonly status: number
  /** The validated redirect URI to which the error is sent. If it is undefined, the error is in the response itself. */
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
