import { createRequire } from "node:module"
import { memoize } from "../base/memoize.js"

/**
 * The members of a request that `normalizeNodeRequest` reads. The function does not receive the request of Express,
 * because it would use the parsed `query` and `body`: it would join duplicate parameters, and convert the body to JSON.
 */
interface RequestFacade {
  readonly method: string
  readonly headers: Headers
  /** The parts of the URL. For methods other than GET and HEAD, this object is also the stream of the body. */
  readonly raw: {
    readonly protocol: string
    readonly headers: { readonly host: string }
    readonly originalUrl: string
  }
}

/** The members of a response that `sendNodeResponse` uses. */
interface ResponseFacade {
  readonly setHeader: (name: string, value: string | string[]) => void
  readonly writeHead: (status: number) => void
  /** Returns true if the caller can continue to write without waiting. */
  readonly write: (chunk: string | Uint8Array) => boolean
  readonly end: () => void
}

type RequestClass = new (url: string, init: RequestInit) => Request

/** The exports of `@whatwg-node/server` that the middleware uses. */
interface ServerPackage {
  /** A response class that keeps its text, so that `sendNodeResponse` need not read it from a stream. */
  readonly Response: typeof Response
  normalizeNodeRequest(request: RequestFacade, globals: { readonly Request: RequestClass }): Request
  sendNodeResponse(response: Response, target: ResponseFacade, request: undefined, isSingleWrite: false): unknown
}

/**
 * Loads `@whatwg-node/server` at the first request for an endpoint, because loading this package takes longer than the
 * rest of the start-up.
 */
export const loadServerPackage = memoize((): ServerPackage => createRequire(import.meta.url)("@whatwg-node/server"))
