import { createRequire } from "node:module"
import { memoize } from "../base/memoize.js"

/**
 * What `normalizeNodeRequest` reads of a request. It never gets the request itself: from Express' parsed `query` it
 * would join duplicate parameters, and a parsed body would become JSON.
 */
interface RequestFacade {
  readonly method: string
  readonly headers: Headers
  /** The parts of the URL. For methods other than GET and HEAD, the object is the body too. */
  readonly raw: {
    readonly protocol: string
    readonly headers: { readonly host: string }
    readonly originalUrl: string
  }
}

/** What `sendNodeResponse` uses of a response. */
interface ResponseFacade {
  readonly setHeader: (name: string, value: string | string[]) => void
  readonly writeHead: (status: number) => void
  /** Returns true if more can be written at once. */
  readonly write: (chunk: string | Uint8Array) => boolean
  readonly end: () => void
}

type RequestClass = new (url: string, init: RequestInit) => Request

/** The part of `@whatwg-node/server` that the middleware uses, with the types of the facades. */
interface ServerPackage {
  /** A response whose text `sendNodeResponse` writes as it is. It has to read the text of a native one from a stream. */
  readonly Response: typeof Response
  normalizeNodeRequest(request: RequestFacade, globals: { readonly Request: RequestClass }): Request
  sendNodeResponse(response: Response, target: ResponseFacade, request: undefined, isSingleWrite: false): unknown
}

/** Loads `@whatwg-node/server` at the first request for an endpoint, because loading it takes longer than all else. */
export const loadServerPackage = memoize((): ServerPackage => createRequire(import.meta.url)("@whatwg-node/server"))
