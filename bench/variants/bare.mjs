import { createApp, listen } from "./app.mjs"
import { personOf } from "./constants.mjs"

/** What Express alone costs with the same headers received: a cookie is somebody, whoever sends it. */
const session = { user: personOf(0) }

listen(createApp((req) => (req.headers.cookie ? session : null)))
