CREATE TABLE IF NOT EXISTS "latchkey_migrations" (
  store TEXT NOT NULL,
  version INTEGER NOT NULL,
  is_complete SMALLINT NOT NULL,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (store, version)
);

CREATE TABLE "users" (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  email TEXT UNIQUE,
  email_verified INTEGER,
  image TEXT
);

CREATE TABLE "accounts" (
  provider TEXT NOT NULL,
  provider_account_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  type TEXT NOT NULL,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  expires_at INTEGER,
  scope TEXT,
  token_type TEXT,
  session_state TEXT,
  extra TEXT,
  PRIMARY KEY (provider, provider_account_id),
  FOREIGN KEY (user_id) REFERENCES "users" (id) ON DELETE CASCADE
);

CREATE TABLE "sessions" (
  token_hash TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  expires INTEGER NOT NULL,
  FOREIGN KEY (user_id) REFERENCES "users" (id) ON DELETE CASCADE
);

CREATE TABLE "verification_tokens" (
  identifier TEXT NOT NULL,
  token TEXT NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (identifier, token)
);

CREATE TABLE "authenticators" (
  credential_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  provider_account_id TEXT NOT NULL,
  credential_public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  credential_backed_up SMALLINT NOT NULL,
  credential_device_type TEXT NOT NULL,
  transports TEXT,
  FOREIGN KEY (user_id) REFERENCES "users" (id) ON DELETE CASCADE
);

CREATE INDEX "accounts_user_id" ON "accounts" (user_id);

CREATE INDEX "sessions_user_id" ON "sessions" (user_id);

CREATE INDEX "authenticators_user_id" ON "authenticators" (user_id);

CREATE INDEX "sessions_expires" ON "sessions" (expires);

CREATE INDEX "verification_tokens_expires" ON "verification_tokens" (expires);

INSERT INTO "latchkey_migrations" (store, version, is_complete) VALUES ('users', 1, 1);
