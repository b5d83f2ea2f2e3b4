import type { NodeRequest } from "../../lib/express/node.js"
import { toHeaders } from "../../lib/express/web-request.js"

const parseHeaders = (rawHeaders: string[]) => toHeaders({ rawHeaders } as NodeRequest)

it("toHeaders joins Cookie headers by semicolons and other headers by commas", () => {
  const headers = parseHeaders(["Cookie", "a=1", "X-A", "1", "cookie", "b=2; c=3", "x-a", "2", ":path", "/"])
  expect([...headers]).toEqual([
    ["cookie", "a=1; b=2; c=3"],
    ["x-a", "1, 2"],
  ])
})

it.each(["Cookie", "X-Forwarded-For", "Sec-Fetch-Site"])(
  "SEC-07: toHeaders reads 20,000 %s headers in linear time",
  (name) => {
    const rawHeaders = Array.from({ length: 20_000 }, (_, i) => [name, `name${i}=value`]).flat()
    const startedAt = performance.now()
    expect(parseHeaders(rawHeaders).get(name)).toContain("name19999=value")
    expect(performance.now() - startedAt).toBeLessThan(200)
  },
)
