import { type CeremonyFacts, decideCeremony } from "../../../../lib/methods/webauthn/options.js"

type Row = readonly [
  requested: CeremonyFacts["requested"],
  isSignedIn: boolean,
  subject: CeremonyFacts["subject"],
  decision: ReturnType<typeof decideCeremony>,
]

const none = undefined

/** The table of Auth.js, for applications whose responses may reveal whether an address has an account. */
const REVEALING: readonly Row[] = [
  ["authenticate", false, "none", "authenticate"],
  ["authenticate", false, "known", "authenticate"],
  ["authenticate", false, "new", "authenticate"],
  ["authenticate", true, "known", "authenticate"],
  ["register", true, "known", "register"],
  ["register", false, "new", "register"],
  ["register", false, "none", none],
  ["register", false, "known", none],
  [undefined, false, "none", "authenticate"],
  [undefined, false, "known", "authenticate"],
  [undefined, false, "new", "register"],
  [undefined, true, "known", none],
]

const decide = ([requested, isSignedIn, subject]: Row, revealsAccounts: boolean) =>
  decideCeremony({ requested, isSignedIn, subject, revealsAccounts })

describe("decideCeremony", () => {
  it.each(REVEALING)(
    "decides as Auth.js if accounts may be revealed: requested %s, signed in %s, subject %s: %s",
    (...row) => {
      expect(decide(row, true)).toBe(row[3])
    },
  )

  it.each(["authenticate", "register", undefined] as const)(
    "decides the same for a visitor, whether or not the address has an account: requested %s",
    (requested) => {
      const facts = { requested, isSignedIn: false, revealsAccounts: false }
      expect(decideCeremony({ ...facts, subject: "known" })).toBe(decideCeremony({ ...facts, subject: "new" }))
    },
  )

  it.each(REVEALING.filter(([, isSignedIn, subject]) => isSignedIn || subject === "none"))(
    "decides as Auth.js in all other cases: requested %s, signed in %s, subject %s: %s",
    (...row) => {
      expect(decide(row, false)).toBe(row[3])
    },
  )
})
