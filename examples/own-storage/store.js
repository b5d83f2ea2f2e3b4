import { randomUUID } from "node:crypto"

/** @returns {import("latchkey/types").Store} */
export function TinyStore() {
  const records = new Map()
  const find = (kind, key) => {
    const record = records.get(`${kind} ${key}`)
    return record && (record.expires === null || record.expires > new Date()) ? record : undefined
  }
  const put = (kind, key, record) => {
    const version = randomUUID()
    records.set(`${kind} ${key}`, { ...record, kind, key, version })
    return version
  }
  const shown = ({ kind, ...record }) => ({ ...record })
  return {
    durable: false,
    async get(kind, key) {
      const record = find(kind, key)
      return record ? shown(record) : null
    },
    async set(kind, key, { value, owner, expires, ifVersion }) {
      const isMet = ifVersion === undefined || (find(kind, key)?.version ?? null) === ifVersion
      return isMet ? put(kind, key, { value, ...(owner && { owner }), expires }) : null
    },
    async delete(kind, key, ifVersion) {
      const record = find(kind, key)
      if (!record || (ifVersion !== undefined && record.version !== ifVersion)) return false
      return records.delete(`${kind} ${key}`)
    },
    async list(kind, owner, { limit, after = "" } = { limit: 1000 }) {
      const found = [...records.values()].filter((record) => record.kind === kind && record.owner === owner)
      const live = found.filter(({ key }) => key > after && find(kind, key))
      return live
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, limit)
        .map(shown)
    },
    async increment(kind, key, { seconds, by = 1 }) {
      const found = find(kind, key)
      const expires = found?.expires ?? new Date(Date.now() + seconds * 1000)
      const count = Math.max(0, Number(found?.value ?? 0) + by)
      put(kind, key, { value: String(count), expires })
      return { count, resetsAt: expires }
    },
  }
}
