import { testAdapter } from "../../lib/adapters/testing.js"
import { ioRedis, nodeRedis } from "../support/stores/redis.js"
import type { OpenStore } from "../support/stores.js"
import { describeStore } from "../support/stores.js"

for (const each of [ioRedis, nodeRedis])
  describeStore(`RedisAdapter holds the contract on ${each.name}`, each, (store) => {
    let opened: OpenStore
    beforeAll(async () => {
      opened = await store.create()
    })
    afterAll(() => opened.close())

    testAdapter(it, {
      complete: true,
      passkeys: true,
      create: () => ({ adapter: opened.adapter, dump: opened.dump }),
    })
  })
