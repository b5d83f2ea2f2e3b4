import { type CeremonyFacts, decideCeremony } from "../../../../lib/methods/webauthn/decide-ceremony.js"

type Row = readonly [
  asked: CeremonyFacts["asked"],
  isSignedIn: boolean,
  person: CeremonyFacts["person"],
  decision: ReturnType<typeof decideCeremony>,
]

const none = undefined

/** The table of Auth.js, for who lets answers tell whether an address has a user. */
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

const decide = ([asked, isSignedIn, person]: Row, revealsAccounts: boolean) =>
  decideCeremony({ asked, isSignedIn, person, revealsAccounts })

describe("which ceremony there is to be", () => {
  it.each(REVEALING)("as with Auth.js: asked %s, signed in %s, person %s: %s", (...row) => {
    expect(decide(row, true)).toBe(row[3])
  })

  it.each(["authenticate", "register", undefined] as const)(
    "asked %s, a stranger gets the same for an address with a user and for one without",
    (asked) => {
      const facts = { asked, isSignedIn: false, revealsAccounts: false }
      expect(decideCeremony({ ...facts, person: "known" })).toBe(decideCeremony({ ...facts, person: "new" }))
    },
  )

  it.each(REVEALING.filter(([, isSignedIn, person]) => isSignedIn || person === "none"))(
    "and otherwise the same as with Auth.js: asked %s, signed in %s, person %s: %s",
    (...row) => {
      expect(decide(row, false)).toBe(row[3])
    },
  )
})
