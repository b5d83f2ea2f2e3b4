import { createApp, listen } from "./app.mjs"
import { COOKIE } from "./constants.mjs"
import { openStore } from "./stores.mjs"

/** Bare Express with only the query for a session, directly with the driver. */
const { read, close } = await openStore(process.env.BENCH_STORE)
const START = `${COOKIE}=`

async function readSession(req) {
  const { cookie } = req.headers
  const user = cookie?.startsWith(START) && (await read(cookie.slice(START.length)))
  return user ? { user } : null
}

listen(createApp(readSession), { close })
