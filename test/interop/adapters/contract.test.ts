import { testAdapter } from "../../../lib/adapters/testing.js"
import { describePublished, PUBLISHED } from "./support/describe.js"

describePublished(
  "The adapter contract",
  ({ without, skip = [] }, opened) => {
    testAdapter(it, {
      without,
      skip,
      // Every case has users and addresses of its own.
      create: () => ({ adapter: opened().adapter, dump: async () => JSON.stringify(await opened().kept()) }),
    })
  },
  PUBLISHED,
)
