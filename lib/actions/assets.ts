import { UnknownAction } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import type { Reply } from "../http/reply.js"
import type { Runtime } from "../runtime.js"
import type { Action } from "./action.js"

const HEADERS = {
  // The name changes with the text, so nobody has to ask again.
  "Cache-Control": "public, max-age=31536000, immutable",
  "X-Content-Type-Options": "nosniff",
}

/** A file of the pages, to be kept for good; the same for everybody. */
async function send({ asset: name }: AuthCall, { pages }: Runtime): Promise<Reply> {
  const asset = name === undefined ? undefined : pages.asset(name)
  if (!asset) throw new UnknownAction("there is no such file", { asset: name })
  return { status: 200, body: asset.body, headers: { ...HEADERS, "Content-Type": asset.type }, cookies: [] }
}

/** GET gives the style sheet and the script of the pages. */
export const assets: Action = () => ({ GET: { gate: undefined, handle: send } })
