import * as oauth from "oauth4webapi"
import { Fault } from "../../error-codes.js"
import { isError } from "../../errors.js"

/** Nearer than this the clocks are not to blame: an answer is under way for some seconds. */
const NEAR_SECONDS = 10

const isOfTime = (error: unknown): error is Error =>
  error instanceof Fault
    ? error.messageCode === "clock-skew"
    : isError(error) &&
      Reflect.get(error, "code") === oauth.JWT_TIMESTAMP_CHECK &&
      Reflect.get(Object(error.cause), "claim") !== "auth_time"

const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z")

/**
 * An error about a token's times with what the two clocks say: ours, and the provider's own in the `Date` of its answer
 * (RFC 9110 §6.6.1). Any other error stays as it is.
 */
export function withClocks(error: unknown, { headers }: Response, nowMs: number): unknown {
  const theirs = Date.parse(headers.get("date") ?? "")
  if (!isOfTime(error) || Number.isNaN(theirs)) return error
  return new Fault("clock-skew", `${error.message}; ${clocksText(nowMs, theirs)}`)
}

function clocksText(ours: number, theirs: number): string {
  const seconds = Math.round((ours - theirs) / 1000)
  const both = `this server's clock says ${timeOf(ours)}, the provider's ${timeOf(theirs)}`
  if (Math.abs(seconds) < NEAR_SECONDS) return `${both}, so the token itself is wrong`
  return `${both}: this one is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}. Set it by the network: timedatectl set-ntp true`
}
