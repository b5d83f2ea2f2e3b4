import { createServer } from "node:http"
import { listen, readText } from "../../support/listen.js"

/** A request to the vendor: the path, and the fields of a form. */
export interface VendorCall {
  readonly path: string
  readonly form: Readonly<Record<string, string>>
  readonly authorization: string
}

export interface VendorReply {
  /** @default 200 */
  readonly status?: number
  readonly body: unknown
}

export interface VendorServer {
  readonly origin: string
  readonly calls: VendorCall[]
  /** Sets the responses, as the vendor documents them. */
  answer: (call: VendorCall) => VendorReply
}

/** Starts a server for a vendor before the tests of a file, and stops it at the end. */
export function useVendorServer(): VendorServer {
  const state = { origin: "", calls: [] as VendorCall[], answer: (): VendorReply => ({ status: 404, body: {} }) }
  const vendor: VendorServer = state
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? "/", "http://vendor.test")
    const form = {
      ...Object.fromEntries(searchParams),
      ...Object.fromEntries(new URLSearchParams(await readText(req))),
    }
    const call = { path: pathname, form, authorization: req.headers.authorization ?? "" }
    state.calls.push(call)
    const { status = 200, body } = vendor.answer(call)
    res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  let close: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const listening = await listen(server)
    state.origin = listening.origin
    close = listening.close
  })
  beforeEach(() => {
    state.calls.length = 0
  })
  afterAll(() => close?.())
  return vendor
}
