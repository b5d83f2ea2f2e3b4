/**
 * The Lua functions with which the script's operations read and write. They change a buffer of rows (Redis hashes) and
 * of indices (Redis sets of ids), which the script writes to Redis at its end.
 *
 * The script decodes no value except the counter of a passkey. An id has the same encoding in a key and in a field, so
 * the encoded ids can be compared.
 */
export const FUNCTIONS = `
local prefix = KEYS[1]

-- The rows that were read or changed, by key.
local rows = {}
local function row(key)
  if rows[key] then return rows[key] end
  local found = { fields = {}, changed = {}, exists = false }
  local flat = redis.call('HGETALL', prefix .. key)
  for i = 1, #flat, 2 do found.fields[flat[i]] = flat[i + 1] end
  found.exists = #flat > 0
  rows[key] = found
  return found
end

-- Sets fields of a row, and the time when Redis deletes the row. An empty expiry leaves that time unchanged.
local function put(key, flat, expiry)
  local target = row(key)
  for i = 1, #flat, 2 do
    target.fields[flat[i]] = flat[i + 1]
    target.changed[flat[i]] = true
  end
  target.exists = true
  if expiry and expiry ~= '' then target.expiry = expiry end
end

local function drop(key)
  rows[key] = { fields = {}, changed = {}, exists = false, dropped = true }
end

-- Returns the fields of a row as a list of names and values, sorted by name; false if the row does not exist.
local function record(key)
  local found = row(key)
  if not found.exists then return false end
  local names, flat = {}, {}
  for name in pairs(found.fields) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    flat[#flat + 1] = name
    flat[#flat + 1] = found.fields[name]
  end
  return flat
end

-- Adds a member to an index, or removes it, depending on is_in. The index expires with its last member.
local sets, expiries = {}, {}
local function set_member(key, member, is_in, expiry)
  sets[key] = sets[key] or {}
  sets[key][member] = is_in
  if expiry and expiry ~= '' and tonumber(expiry) > tonumber(expiries[key] or '0') then expiries[key] = expiry end
end

local function members(key)
  local is_in, list = {}, {}
  for _, member in ipairs(redis.call('SMEMBERS', prefix .. key)) do is_in[member] = true end
  for member, is_added in pairs(sets[key] or {}) do is_in[member] = is_added or nil end
  for member in pairs(is_in) do list[#list + 1] = member end
  table.sort(list)
  return list
end

-- Returns the records of the rows that an index lists.
local function records(index, kind)
  local list = {}
  for _, member in ipairs(members(index)) do list[#list + 1] = record(kind .. member) or nil end
  return list
end

-- Deletes the rows that an index lists, and the index.
local function drop_all(index, kind)
  for _, member in ipairs(members(index)) do
    drop(kind .. member)
    set_member(index, member, false)
  end
end

local function reject(reason) error({ rejected = reason }) end

local function require_user(id)
  if not row('user:' .. id).exists then reject('there is no user with this id') end
end

local function has_email(email) return email and email ~= 'null' and email ~= '""' end

local function assign_email(email, id)
  if not has_email(email) then return end
  local owner = row('email:' .. email).fields.user
  if owner and owner ~= id and row('user:' .. owner).fields.email == email then
    reject('another user has this email address')
  end
  put('email:' .. email, { 'user', id })
end

-- Rejects if the account or passkey and its user exist. If only the user is missing, deletes the row of the account or
-- passkey instead: Redis may have evicted the user, or an operator may have deleted the user's key.
local function require_free(kind, index, member, reason)
  local found = row(kind .. member)
  if not found.exists then return end
  if row('user:' .. found.fields.userId).exists then reject(reason) end
  set_member(index .. found.fields.userId, member, false)
  drop(kind .. member)
end

-- Removes expired sessions or links from their index, because Redis deletes only their rows. To limit the cost, this is
-- done only when the index has 31, 63, 95 and so on members.
local function prune(index, kind)
  if (redis.call('SCARD', prefix .. index) % 32) ~= 31 then return end
  for _, member in ipairs(members(index)) do
    local is_buffered = rows[kind .. member]
    if not is_buffered and redis.call('EXISTS', prefix .. kind .. member) == 0 then set_member(index, member, false) end
  end
end
`
