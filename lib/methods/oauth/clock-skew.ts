import * as oauth from "oauth4webapi"
import { CodedError } from "../../errors/error-codes.js"
import { isError } from "../../errors/errors.js"

/** A smaller difference is not clock skew, because a response takes some seconds to arrive. */
const MIN_SKEW_SECONDS = 10

const isTimeError = (error: unknown): error is Error =>
  error instanceof CodedError
    ? error.messageCode === "clock-skew"
    : isError(error) &&
      Reflect.get(error, "code") === oauth.JWT_TIMESTAMP_CHECK &&
      Reflect.get(Object(error.cause), "claim") !== "auth_time"

const formatTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z")

/**
 * Adds the times of both clocks to an error about a token's times. The provider's time is in the `Date` header of its
 * response (RFC 9110 §6.6.1). Other errors are returned unchanged.
 */
export function explainClockSkew(error: unknown, { headers }: Response, nowMs: number): unknown {
  const providerMs = Date.parse(headers.get("date") ?? "")
  if (!isTimeError(error) || Number.isNaN(providerMs)) return error
  return new CodedError("clock-skew", `${error.message}; ${describeClocks(nowMs, providerMs)}`)
}

function describeClocks(serverMs: number, providerMs: number): string {
  const seconds = Math.round((serverMs - providerMs) / 1000)
  const times = `the time is ${formatTime(serverMs)} on this server and ${formatTime(providerMs)} at the provider`
  if (Math.abs(seconds) < MIN_SKEW_SECONDS) return `${times}, so the token itself is wrong`
  return `${times}: this server is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}. Synchronise its clock: timedatectl set-ntp true`
}
