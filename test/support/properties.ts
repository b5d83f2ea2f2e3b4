/**
 * Property tests: each rule is checked with `PROPERTY_RUNS` random inputs.
 *
 * @module
 */
import fc from "fast-check"

/** `npm run test:properties` sets 10,000. */
export const PROPERTY_RUNS = Number(process.env["PROPERTY_RUNS"] ?? 500)

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: PROPERTY_RUNS })

export { fc }

const PIECES = [
  ...[..."/\\:@.?#%;\t\n\r\u0000 []"],
  ...["//", "http", "https:", "app.test", "evil.test", "%2f", "%5c", "..", "\u3002", "\uff0f"],
]

/** Origins of the tests. A URL that only begins with one of them is another site. */
const OWN = ["https://app.test", "http://127.0.0.1:3000", "http://localhost:3000", "http://[::1]:8080"]

const anyPieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(""))

/** Redirect targets: text on which URL parsers disagree, and complete URLs. */
export const anyDestination: fc.Arbitrary<string> = fc.oneof(
  anyPieces,
  fc.tuple(fc.constantFrom(...OWN), anyPieces).map((parts) => parts.join("")),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: "binary" }),
  fc.webPath().map((path) => `/${path}`),
)
