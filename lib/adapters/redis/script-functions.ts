/**
 * The Lua functions with which the script's operations read and write.
 *
 * The script never decodes values: keys contain them as the same JSON as fields.
 */
export const FUNCTIONS = `
local prefix = KEYS[1]

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

local sets, expiries = {}, {}
local function mark(key, member, is_in, expiry)
  sets[key] = sets[key] or {}
  sets[key][member] = is_in
  if expiry and expiry ~= '' and tonumber(expiry) > tonumber(expiries[key] or '0') then expiries[key] = expiry end
end

local function members(key)
  local is_in, list = {}, {}
  for _, member in ipairs(redis.call('SMEMBERS', prefix .. key)) do is_in[member] = true end
  for member, is in pairs(sets[key] or {}) do is_in[member] = is or nil end
  for member in pairs(is_in) do list[#list + 1] = member end
  table.sort(list)
  return list
end

local function records(index, kind)
  local list = {}
  for _, member in ipairs(members(index)) do list[#list + 1] = record(kind .. member) or nil end
  return list
end

local function drop_all(index, kind)
  for _, member in ipairs(members(index)) do
    drop(kind .. member)
    mark(index, member, false)
  end
end

local function refuse(reason) error({ refused = reason }) end

local function require_user(id)
  if not row('user:' .. id).exists then refuse('there is no user with this id') end
end

local function has_email(email) return email and email ~= 'null' and email ~= '""' end

local function assign_email(email, id)
  if not has_email(email) then return end
  local owner = row('email:' .. email).fields.user
  if owner and owner ~= id and row('user:' .. owner).fields.email == email then
    refuse('another user has this email address')
  end
  put('email:' .. email, { 'user', id })
end

-- An account or a passkey is free if its user is gone, by eviction or by hand.
local function require_free(kind, index, member, reason)
  local found = row(kind .. member)
  if not found.exists then return end
  if row('user:' .. found.fields.userId).exists then refuse(reason) end
  mark(index .. found.fields.userId, member, false)
  drop(kind .. member)
end

-- Sessions and links expire without being removed from the index.
local function prune(index, kind)
  if (redis.call('SCARD', prefix .. index) % 32) ~= 31 then return end
  for _, member in ipairs(members(index)) do
    local loaded = rows[kind .. member]
    if not loaded and redis.call('EXISTS', prefix .. kind .. member) == 0 then mark(index, member, false) end
  end
end
`
