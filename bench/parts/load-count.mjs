import { load } from "../lib/load.mjs"

const SLICE_SECONDS = 0.5

/** Sends load to a server until it has answered at least this many requests. */
export async function loadCount(port, count, options) {
  let done = 0
  while (done < count) done += (await load(port, { ...options, seconds: SLICE_SECONDS })).requests
  return done
}
