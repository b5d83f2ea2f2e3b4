import { createRequire } from "node:module"
import { memoize } from "../base/memoize.js"

/**
 * What `normalizeNodeRequest` reads of a request. It never gets the request itself: from Express' parsed `query` it
 * would join duplicate parameters, and a parsed body would become JSON.
 */
interface RequestFacade {
  readonly method: string
  readonly headers: Headers
  /** The parts of the URL, and the bytes of the body. */
  readonly raw: AsyncIterable<Uint8Array> & {
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
  readonly write: (chunk: Uint8Array) => boolean
  readonly end: () => void
}

/** The part of `@whatwg-node/server` that the middleware uses, with the types of the facades. */
interface ServerPackage {
  normalizeNodeRequest(request: RequestFacade, globals: typeof globalThis): Request
  sendNodeResponse(response: Response, target: ResponseFacade, request: undefined, isSingleWrite: false): unknown
}

/** Loads `@whatwg-node/server` at the first request for an endpoint, because loading it takes longer than all else. */
export const loadServerPackage = memoize((): ServerPackage => createRequire(import.meta.url)("@whatwg-node/server"))
