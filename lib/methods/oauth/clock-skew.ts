import * as oauth from "oauth4webapi"
import { CodedError } from "../../errors/error-codes.js"
import { isError } from "../../errors/errors.js"

/** Smaller differences are not reported as clock skew, because a response may take some seconds to arrive. */
const MIN_SKEW_SECONDS = 10

/** True if a token was rejected because of its times, except for an old `auth_time`, which is no clock skew. */
const isTimeError = (error: unknown): error is Error =>
  error instanceof CodedError
    ? error.messageCode === "clock-skew"
    : isError(error) &&
      Reflect.get(error, "code") === oauth.JWT_TIMESTAMP_CHECK &&
      Reflect.get(Object(error.cause), "claim") !== "auth_time"

const formatTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z")

/**
 * Returns an error about a token's times with the times of both clocks added to its message. The provider's time is in
 * the `Date` header of the response (RFC 9110 §6.6.1). Without this header, and for other errors, returns the error
 * unchanged.
 */
export function explainClockSkew(error: unknown, { headers }: Response, nowMs: number): unknown {
  const providerMs = Date.parse(headers.get("date") ?? "")
  if (!isTimeError(error) || Number.isNaN(providerMs)) return error
  return new CodedError("clock-skew", `${error.message}; ${describeClocks(nowMs, providerMs)}`)
}

function describeClocks(serverMs: number, providerMs: number): string {
  const seconds = Math.round((serverMs - providerMs) / 1000)
  const times = `the time is ${formatTime(serverMs)} on this server and ${formatTime(providerMs)} at the provider`
  if (Math.abs(seconds) < MIN_SKEW_SECONDS) return `${times}, so the clocks agree and the times in the token are wrong`
  return `${times}: this server is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}. Synchronise its clock: timedatectl set-ntp true`
}
