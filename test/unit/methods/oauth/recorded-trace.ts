import type { DebugTopic } from "../../../../lib/logging/debug-output.js"
import { createLogger } from "../../../../lib/logging/logger.js"
import { SignInTrace } from "../../../../lib/logging/trace.js"

const SECRET = "a secret for the tests of traces"

/** A trace that records its lines with their topics. */
export function recordedTrace() {
  const lines: [DebugTopic, string][] = []
  const logger = { ...createLogger({}), debug: (topic: DebugTopic, line: string) => void lines.push([topic, line]) }
  return { trace: new SignInTrace(logger, SECRET), lines }
}

/** The trace id that is derived from `known`. */
export function traceIdOf(known: string): string {
  const { trace, lines } = recordedTrace()
  trace.identify(known, 1)
  trace.write("oauth", "x")
  return lines[0]?.[1].split(" ")[1] ?? ""
}
