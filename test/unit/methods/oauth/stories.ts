import type { DebugTopic } from "../../../../lib/debug-output.js"
import { createLogger } from "../../../../lib/logger.js"
import { Story } from "../../../../lib/story.js"

const SECRET = "a secret for the tests of stories"

/** A story, and the lines of it with what each is about. */
export function recordedStory() {
  const lines: [DebugTopic, string][] = []
  const logger = { ...createLogger({}), debug: (topic: DebugTopic, line: string) => void lines.push([topic, line]) }
  return { story: new Story(logger, SECRET), lines }
}

/** The name that a flow has by something that it alone has. */
export function nameOf(known: string): string {
  const { story, lines } = recordedStory()
  story.identify(known, 1)
  story.tell("oauth", "x")
  return lines[0]?.[1].split(" ")[1] ?? ""
}
