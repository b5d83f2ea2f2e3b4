/**
 * Properties: what holds for everything that anybody can send. Each is held against as many inputs as
 * `PROPERTY_RUNS` says.
 *
 * @module
 */
import fc from "fast-check"

/** As many as the ordinary tests have time for; `npm run test:properties` asks for 10,000. */
export const PROPERTY_RUNS = Number(process.env["PROPERTY_RUNS"] ?? 500)

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: PROPERTY_RUNS })

export { fc }

const PIECES = [
  ...[..."/\\:@.?#%;\t\n\r\u0000 []"],
  ...["//", "http", "https:", "app.test", "evil.test", "%2f", "%5c", "..", "\u3002", "\uff0f"],
]

/** Sites of tests: what only begins as one of them is another's. */
const OWN = ["https://app.test", "http://127.0.0.1:3000", "http://localhost:3000", "http://[::1]:8080"]

const anyPieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(""))

/** Where somebody may want a browser to go: what parsers of addresses disagree about, and whole addresses. */
export const anyDestination: fc.Arbitrary<string> = fc.oneof(
  anyPieces,
  fc.tuple(fc.constantFrom(...OWN), anyPieces).map((parts) => parts.join("")),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: "binary" }),
  fc.webPath().map((path) => `/${path}`),
)
