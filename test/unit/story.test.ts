import { createLogger } from "../../lib/logger.js"
import { Story, tellable } from "../../lib/story.js"
import { recordingLogger } from "../support/recording-logger.js"

const SECRET = "a secret for the tests of stories"

function storyOf(secret = SECRET) {
  const log = recordingLogger()
  const story = new Story(createLogger({ logger: log.logger }), secret)
  return { story, lines: () => log.debugged.map(([line]) => String(line)) }
}

describe("what is told", () => {
  it.each([
    ["alice@example.com", "a…@example.com"],
    ["to alice@example.com, bob.b+x@x.test", "to a…@example.com, b…@x.test"],
    ['{"email":"alice@example.com"}', '{"email":"a…@example.com"}'],
    ["/auth/callback?email=alice@example.com", "/auth/callback?email=a…@example.com"],
    ["postgres://app:hunter22@db.test", "postgres://app:h…@db.test"],
    ["Ada <é@example.com>", "Ada <é…@example.com>"],
    ["no @ address", "no @ address"],
    ["state=abc&x=1\nforged", "state=[masked]&x=1\\u000aforged"],
  ])("makes of %j %j", (text, expected) => {
    expect(tellable(text)).toBe(expected)
  })

  it("is worked out at once, however long a text is that may become an address", () => {
    const startedAt = performance.now()
    tellable("a".repeat(1_000_000))
    tellable("a.".repeat(500_000))
    expect(performance.now() - startedAt).toBeLessThan(200)
  })
})

describe("a story", () => {
  it("has one name on both sides of a redirect, and numbers its requests and steps", () => {
    const [out, back] = [storyOf(), storyOf()]
    out.story.identify("the state", 1)
    out.story.tell("oauth", "one")
    out.story.tell("oauth", "two")
    back.story.identify("the state", 2)
    back.story.tell("oauth", "three")
    const id = out.lines()[0]?.split(" ")[1]
    expect([...out.lines(), ...back.lines()]).toEqual([
      `flow ${id} 1.1 one`,
      `flow ${id} 1.2 two`,
      `flow ${id} 2.1 three`,
    ])
  })

  it("keeps what comes before it has a name, in order, and no second name", () => {
    const { story, lines } = storyOf()
    story.tell("request", "first")
    story.tell("request", "second")
    expect(lines()).toEqual([])
    story.identify("a", 1)
    story.identify("b", 2)
    story.settle()
    expect(lines().map((line) => line.replace(/^flow \S+ /, ""))).toEqual(["1.1 first", "1.2 second"])
  })

  it("has some name at last", () => {
    const { story, lines } = storyOf()
    story.tell("request", "refused")
    story.settle()
    expect(lines()).toEqual([expect.stringMatching(/^flow [0-9A-Z]{4} 1\.1 refused$/)])
  })

  it("has a name that tells nothing to who does not know the secret, even of six digits", () => {
    const [one, other] = [storyOf(), storyOf("another secret")]
    for (const { story } of [one, other]) {
      story.identify("123456", 1)
      story.tell("email", "x")
    }
    expect(one.lines()).not.toEqual(other.lines())
  })
})
