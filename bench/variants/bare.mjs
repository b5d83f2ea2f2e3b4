import { createApp, listen } from "./app.mjs"
import { personOf } from "./constants.mjs"

/** The cost of Express alone with the same headers: every cookie is accepted as a user. */
const session = { user: personOf(0) }

listen(createApp((req) => (req.headers.cookie ? session : null)))
