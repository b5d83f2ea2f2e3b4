import type { AdapterUser } from "../../../../lib/adapters/adapter.js"
import { type Defect, mapped, refusing, withResults } from "./defect.js"

const mapDates = (record: object, map: (time: number) => number) =>
  mapped(record, (_, value) => (value instanceof Date ? new Date(map(value.getTime())) : value))

/** Defects in accepted values; each breaks exactly one guarantee. */
export const BROKEN_VALUES: readonly Defect[] = [
  {
    name: "converts text that looks like a date",
    guarantee: "plain-text",
    foundBy: [
      "keeps text that looks like a date, a number or null as text",
      "renameAuthenticator keeps a name that looks like a date, a number or null as text",
    ],
    change: (good) =>
      withResults(good, (record) =>
        mapped(record, (_, value) =>
          typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value) : value,
        ),
      ),
  },
  {
    name: "rounds dates to seconds",
    guarantee: "milliseconds",
    foundBy: [
      "keeps dates of users to the millisecond, in any time zone",
      "keeps the expiry of a session and of a link to the millisecond",
    ],
    change: (good) => withResults(good, (record) => mapDates(record, (time) => Math.floor(time / 1000) * 1000)),
  },
  {
    name: "is limited to 31 bits",
    guarantee: "wide-numbers",
    foundBy: ["keeps dates and seconds after 2038", "keeps counters up to 2^32 - 1"],
    change: (good) =>
      withResults(good, (record) =>
        mapped(
          mapDates(record, (time) => Math.min(time, 2 ** 31 * 1000)),
          (_, value) => (typeof value === "number" ? Math.min(value, 2 ** 31 - 1) : value),
        ),
      ),
  },
  {
    name: "rejects four-byte characters",
    guarantee: "unicode",
    foundBy: ["keeps four-byte characters in names and addresses"],
    change: (good) => refusing(good, ["createUser"], (_, value) => /\p{Extended_Pictographic}/u.test(String(value))),
  },
  {
    name: "finds addresses by patterns",
    guarantee: "unicode",
    foundBy: ["keeps quotes, percent signs, line ends and the words of query languages"],
    change(good) {
      const emails: string[] = []
      return {
        createUser(user: AdapterUser) {
          emails.push(user.email)
          return good.createUser(user)
        },
        async getUserByEmail(email: string) {
          const pattern = email.replace(/[.*+?^$(){}|[\]\\]/g, "\\$&")
          const like = new RegExp(`^${pattern.replaceAll("%", ".*").replaceAll("_", ".")}$`)
          return good.getUserByEmail(
            emails.find((one) => one === email) ?? emails.find((one) => like.test(one)) ?? email,
          )
        },
      }
    },
  },
  {
    name: "limits columns to 255 characters",
    guarantee: "long-values",
    foundBy: ["keeps tokens of 8,000 and URLs of 2,000 characters"],
    change: (good) => refusing(good, ["createUser", "linkAccount"], (_, value) => String(value).length > 255),
  },
  {
    name: "rejects unknown members",
    guarantee: "unknown-members",
    foundBy: [
      "createUser accepts profile members that are unknown to the adapter",
      "linkAccount accepts members that are unknown to the adapter",
    ],
    change: (good) => refusing(good, ["createUser", "linkAccount"], (name) => ["favouriteColour", "ok"].includes(name)),
  },
]
