import { identifyFlow } from "../../../../lib/methods/oauth/flow.js"
import { recordedTrace, traceIdOf } from "./recorded-trace.js"

describe("identifyFlow", () => {
  const [state, verifier, nonce] = ["the state", "the verifier", "the nonce"]

  it.each([
    [{ state, verifier, nonce }, state],
    [{ state, nonce }, state],
    [{ state }, state],
    [{ verifier, nonce }, verifier],
    [{ verifier }, verifier],
    [{ nonce }, nonce],
  ])("derives the trace id of the flow %j from %j", (flow, known) => {
    const { trace, lines } = recordedTrace()
    identifyFlow(trace, flow, 2)
    trace.write("oauth", "message")
    expect(lines).toEqual([["oauth", `flow ${traceIdOf(known)} 2.1 message`]])
  })

  it("leaves the trace without an id if the flow has no value to derive it from", () => {
    const { trace, lines } = recordedTrace()
    identifyFlow(trace, {}, 2)
    trace.write("oauth", "message")
    expect(lines).toEqual([])
    identifyFlow(trace, { state }, 3)
    expect(lines).toEqual([["oauth", `flow ${traceIdOf(state)} 3.1 message`]])
  })
})
