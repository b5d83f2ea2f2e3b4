/**
 * The part of the Lua script that defines its operations, by name. An operation returns one record (as a list of field
 * names and values), a list of records, or false if there is no result. An operation that scans returns the next cursor
 * and the result of this step.
 */
export const OPERATIONS = `
local op = {}

function op.createUser(id, fields)
  if row('user:' .. id).exists then reject('a user with this id already exists') end
  put('user:' .. id, fields)
  assign_email(row('user:' .. id).fields.email, id)
  return record('user:' .. id)
end

function op.getUser(id) return record('user:' .. id) end

function op.getUserByEmail(email)
  local id = row('email:' .. email).fields.user
  return id and record('user:' .. id) or false
end

function op.getUserByAccount(account)
  local id = row('account:' .. account).fields.userId
  return id and record('user:' .. id) or false
end

function op.updateUser(id, fields)
  require_user(id)
  local before = row('user:' .. id).fields.email
  local change = {}
  for i = 1, #fields, 2 do change[fields[i]] = fields[i + 1] end
  if change.email and change.email ~= before then put('user:' .. id, { 'emailVerified', 'null' }) end
  put('user:' .. id, fields)
  local after = row('user:' .. id).fields.email
  assign_email(after, id)
  if has_email(before) and before ~= after then drop('email:' .. before) end
  return record('user:' .. id)
end

function op.deleteUser(id)
  local user = row('user:' .. id)
  if has_email(user.fields.email) then drop('email:' .. user.fields.email) end
  drop('user:' .. id)
  drop_all('accounts-of:' .. id, 'account:')
  drop_all('sessions-of:' .. id, 'session:')
  drop_all('authenticators-of:' .. id, 'authenticator:')
  return false
end

function op.linkAccount(account, id, fields)
  require_user(id)
  require_free('account:', 'accounts-of:', account, 'this account is already linked')
  put('account:' .. account, fields)
  set_member('accounts-of:' .. id, account, true)
  return record('account:' .. account)
end

function op.updateAccount(account, id, fields)
  if row('account:' .. account).fields.userId ~= id then return false end
  put('account:' .. account, fields)
  return record('account:' .. account)
end

-- fields contains the token members with the values that the caller has read. Changes nothing if one of them differs.
function op.removeAccountTokens(account, id, fields)
  local found = row('account:' .. account)
  if found.fields.userId ~= id then return false end
  local is_unchanged = true
  for i = 1, #fields, 2 do
    if (found.fields[fields[i]] or 'null') ~= fields[i + 1] then is_unchanged = false end
  end
  for i = 1, is_unchanged and #fields or 0, 2 do put('account:' .. account, { fields[i], 'null' }) end
  return record('account:' .. account)
end

function op.unlinkAccount(account)
  local found = row('account:' .. account)
  if not found.exists then return false end
  set_member('accounts-of:' .. found.fields.userId, account, false)
  drop('account:' .. account)
  return false
end

function op.getAccount(account) return record('account:' .. account) end

function op.listAccountsByUserId(id) return records('accounts-of:' .. id, 'account:') end

function op.createSession(hash, id, fields, expiry)
  require_user(id)
  if row('session:' .. hash).exists then reject('a session with this token already exists') end
  prune('sessions-of:' .. id, 'session:')
  put('session:' .. hash, fields, expiry)
  set_member('sessions-of:' .. id, hash, true, expiry)
  return record('session:' .. hash)
end

function op.getSessionAndUser(hash)
  local session = row('session:' .. hash)
  if not session.exists then return false end
  local user = record('user:' .. session.fields.userId)
  return user and { record('session:' .. hash), user }
end

function op.updateSession(hash, fields, expiry)
  local session = row('session:' .. hash)
  if not session.exists then return false end
  set_member('sessions-of:' .. session.fields.userId, hash, false)
  put('session:' .. hash, fields, expiry)
  set_member('sessions-of:' .. session.fields.userId, hash, true, expiry)
  return record('session:' .. hash)
end

function op.deleteSession(hash)
  local session = record('session:' .. hash)
  if not session then return false end
  set_member('sessions-of:' .. row('session:' .. hash).fields.userId, hash, false)
  drop('session:' .. hash)
  return session
end

function op.deleteSessionsByUserId(id)
  drop_all('sessions-of:' .. id, 'session:')
  return false
end

function op.createVerificationToken(hash, identifier, fields, expiry)
  prune('tokens-of:' .. identifier, 'token:')
  put('token:' .. hash, fields, expiry)
  set_member('tokens-of:' .. identifier, hash, true, expiry)
  return record('token:' .. hash)
end

function op.useVerificationToken(hash)
  local link = record('token:' .. hash)
  if not link then return false end
  set_member('tokens-of:' .. row('token:' .. hash).fields.identifier, hash, false)
  drop('token:' .. hash)
  return link
end

function op.deleteVerificationTokens(identifier)
  drop_all('tokens-of:' .. identifier, 'token:')
  return false
end

function op.createAuthenticator(credential, id, fields)
  require_user(id)
  require_free('authenticator:', 'authenticators-of:', credential, 'a passkey with this credential id already exists')
  put('authenticator:' .. credential, fields)
  set_member('authenticators-of:' .. id, credential, true)
  return record('authenticator:' .. credential)
end

function op.getAuthenticator(credential) return record('authenticator:' .. credential) end

function op.listAuthenticatorsByUserId(id) return records('authenticators-of:' .. id, 'authenticator:') end

local function require_passkey(credential)
  local found = row('authenticator:' .. credential)
  if not found.exists then reject('there is no passkey with this credential id') end
  return found
end

-- WebAuthn 6.1.1: a counter that does not increase indicates a copied passkey. An authenticator without a counter
-- always sends 0.
function op.updateAuthenticatorCounter(credential, counter)
  local found = require_passkey(credential)
  local before, after = tonumber(found.fields.counter), tonumber(counter)
  if not (after > before or (after == 0 and before == 0)) then reject('the counter of the passkey did not increase') end
  put('authenticator:' .. credential, { 'counter', counter })
  return record('authenticator:' .. credential)
end

function op.renameAuthenticator(credential, fields)
  require_passkey(credential)
  put('authenticator:' .. credential, fields)
  return false
end

function op.deleteAuthenticator(credential)
  local found = row('authenticator:' .. credential)
  if not found.exists then return false end
  set_member('authenticators-of:' .. found.fields.userId, credential, false)
  drop('authenticator:' .. credential)
  return false
end

-- Runs one step of a scan over the keys that match the prefix and the pattern. Returns the next cursor and these keys.
local function scan(cursor, pattern)
  local escaped = string.gsub(prefix, '[%*%?%[%]%^\\\\]', '\\\\%0')
  return redis.call('SCAN', cursor, 'MATCH', escaped .. pattern, 'COUNT', 500)
end

local function has_value(value) return value and value ~= 'null' end

-- Runs one step of a scan over the accounts. Returns the next cursor and the accounts that have a token.
function op.scanAccountsWithTokens(cursor)
  local found = scan(cursor, 'account:*')
  local list = {}
  for _, key in ipairs(found[2]) do
    local name = string.sub(key, #prefix + 1)
    local fields = row(name).fields
    local has_tokens = has_value(fields.access_token) or has_value(fields.refresh_token) or has_value(fields.id_token)
    list[#list + 1] = has_tokens and record(name) or nil
  end
  return { found[1], list }
end

-- Runs one step of a scan over the indices, and removes members whose row has expired. Returns the next cursor and the
-- number of removed members, as strings.
function op.pruneIndices(cursor)
  local kinds = { ['sessions'] = 'session:', ['tokens'] = 'token:' }
  local found = scan(cursor, '*s-of:*')
  local removed = 0
  for _, key in ipairs(found[2]) do
    local index = string.sub(key, #prefix + 1)
    local kind = kinds[string.match(index, '^(%a+)-of:')]
    for _, member in ipairs(kind and members(index) or {}) do
      if redis.call('EXISTS', prefix .. kind .. member) == 0 then
        set_member(index, member, false)
        removed = removed + 1
      end
    end
  end
  return { found[1], tostring(removed) }
end
`
