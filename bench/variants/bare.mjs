import { createApp, listen, user } from "./app.mjs"

/** What Express alone costs, with the same headers received. */
listen(createApp(async () => ({ user })))
