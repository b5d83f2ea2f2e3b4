import { identifyFlow } from "../../../../lib/methods/oauth/flow.js"
import { nameOf, recordedStory } from "./stories.js"

describe("the story of a flow", () => {
  const [state, verifier, nonce] = ["the state", "the verifier", "the nonce"]

  it.each([
    [{ state, verifier, nonce }, state],
    [{ state, nonce }, state],
    [{ state }, state],
    [{ verifier, nonce }, verifier],
    [{ verifier }, verifier],
    [{ nonce }, nonce],
  ])("of %j is known by its %j", (flow, known) => {
    const { story, lines } = recordedStory()
    identifyFlow(story, flow, 2)
    story.tell("oauth", "told")
    expect(lines).toEqual([["oauth", `flow ${nameOf(known)} 2.1 told`]])
  })

  it("waits for another name where the flow has none", () => {
    const { story, lines } = recordedStory()
    identifyFlow(story, {}, 2)
    story.tell("oauth", "told")
    expect(lines).toEqual([])
    identifyFlow(story, { state }, 3)
    expect(lines).toEqual([["oauth", `flow ${nameOf(state)} 3.1 told`]])
  })
})
