/**
 * What is measured, by name: the file in bench/variants, and how a client of it gets sessions.
 *
 * @module
 */
import { sealedCookies } from "./sessions.mjs"

const ofCookies = async (_server, count) => sealedCookies(count)

export const VARIANTS = {
  bare: { title: "bare Express", file: "bare", cookies: ofCookies, isOpen: true },
  latchkey: { title: "latchkey", file: "latchkey", cookies: ofCookies },
  limit: { title: "the limit, by hand", file: "limit", cookies: ofCookies },
  authjs: { title: "@auth/express", file: "authjs", cookies: ofCookies },
}

/** Bare Express first: the others are compared with it. They need nothing but what the repository has installed. */
export const OURS = ["bare", "latchkey", "limit", "authjs"]
export const PEERS = []
