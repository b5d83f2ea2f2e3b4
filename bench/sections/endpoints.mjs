import { withEntrants } from "../lib/entrants.mjs"
import { repeatForm } from "../lib/load.mjs"
import { measure, rowOf } from "../lib/measure.mjs"
import { roundsOf } from "../lib/rounds.mjs"

export const name = "endpoints"
export const title = "GET /auth/session, and POST /auth/signin/github, which redirects to the provider"

const NAMES = ["latchkey", "authjs"]

/** Adds requests that begin a sign-in, with the cookies and the CSRF token of one browser. */
async function withSignIns(entrant) {
  const answer = await fetch(`${entrant.server.origin}/auth/csrf`)
  const { csrfToken } = await answer.json()
  const cookie = answer.headers.getSetCookie().map((line) => line.split(";", 1)[0])
  return { ...entrant, next: repeatForm("/auth/signin/github", cookie.join("; "), { csrfToken }) }
}

const rowFor = (request) => (summary, index) => ({ request, ...rowOf(summary, index) })

export const run = (pace) =>
  withEntrants(NAMES, { sessions: 1_000 }, async (entrants) => {
    const sessions = await measure(entrants, { path: "/auth/session", ...roundsOf(pace) })
    const signIns = await measure(await Promise.all(entrants.map(withSignIns)), { status: 302, ...roundsOf(pace) })
    return {
      rows: [...sessions.map(rowFor("GET /auth/session")), ...signIns.map(rowFor("POST /auth/signin"))],
      ratios: [
        { name: "CPU of GET /auth/session, of @auth/express", value: sessions[0].cpu / sessions[1].cpu, most: 0.5 },
        { name: "CPU of POST /auth/signin, of @auth/express", value: signIns[0].cpu / signIns[1].cpu, most: 0.5 },
      ],
    }
  })
