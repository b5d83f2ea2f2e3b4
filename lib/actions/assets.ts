import { UnknownAction } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { Reply } from "../http/reply.js"
import type { Action, ActionRuntime } from "./action.js"

const HEADERS = {
  // The file name contains a hash of the content, so caches never need to revalidate it.
  "Cache-Control": "public, max-age=31536000, immutable",
  "X-Content-Type-Options": "nosniff",
}

/** Returns a static file of the built-in pages. The file is the same for every client, so caches may store it. */
async function getAsset({ asset: name }: AuthCall, { pages }: ActionRuntime): Promise<Reply> {
  const asset = name === undefined ? undefined : pages.asset(name)
  if (!asset) throw new UnknownAction("there is no such file", { asset: name })
  return { status: 200, body: asset.body, headers: { ...HEADERS, "Content-Type": asset.type }, cookies: [] }
}

/** GET returns the style sheets, the script and the icon of the built-in pages. */
export const assets: Action = () => ({ GET: { guards: undefined, handle: getAsset } })
