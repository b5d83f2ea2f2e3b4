import { createHash } from "node:crypto"
import { OPERATIONS } from "./script-operations.js"
import { SHEET } from "./script-sheet.js"

const MAIN = `
-- An index lives as long as the last of what it names.
local function keep_until(key, expiry)
  local time, left = redis.call('TIME'), redis.call('PTTL', key)
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if left == -1 or left < expiry - now then redis.call('PEXPIREAT', key, expiry) end
end

local function write_down()
  for key, target in pairs(rows) do
    if target.dropped then redis.call('DEL', prefix .. key) end
    for name in pairs(target.changed) do redis.call('HSET', prefix .. key, name, target.fields[name]) end
    if target.expiry then redis.call('PEXPIREAT', prefix .. key, target.expiry) end
  end
  for key, marks in pairs(sets) do
    for member, is_in in pairs(marks) do redis.call(is_in and 'SADD' or 'SREM', prefix .. key, member) end
    if expiries[key] then keep_until(prefix .. key, expiries[key]) end
  end
end

local expected = cjson.decode(ARGV[3])
local is_done, answer = pcall(function()
  local last
  for i, call in ipairs(cjson.decode(ARGV[1])) do
    last = cjson.encode(op[call[1]](unpack(call, 2)))
    if expected[i] and expected[i] ~= last then return '~' end
  end
  return '=' .. last
end)

if not is_done then
  if type(answer) == 'table' and answer.refused then return '!' .. answer.refused end
  error(answer)
end
if ARGV[2] == 'keep' and answer ~= '~' then write_down() end
return answer
`

/**
 * All that the adapter does, as one script: a list of operations goes in, and either all of them are done or none.
 *
 * Redis undoes nothing when a script fails half-way. So the operations work on a sheet: what they read is copied onto
 * it, what they write stands there alone, and only when every one of them has succeeded the sheet is written down.
 *
 * KEYS[1] is the prefix. ARGV: the operations as JSON, "keep" or "try" (which writes nothing down), and for a
 * transaction what each operation gave when it was tried. The answer begins with "=" and is the last result as JSON,
 * with "!" when an operation was refused, or with "~" when another result than expected was found.
 */
export const SCRIPT = SHEET + OPERATIONS + MAIN

/** What Redis knows the script by once it has seen it. */
export const SCRIPT_SHA = createHash("sha1").update(SCRIPT).digest("hex")
