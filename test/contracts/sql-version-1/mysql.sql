CREATE TABLE IF NOT EXISTS `latchkey_migrations` (
  store VARCHAR(128) NOT NULL,
  version INTEGER NOT NULL,
  is_complete SMALLINT NOT NULL,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (store, version)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `users` (
  id VARCHAR(255) NOT NULL PRIMARY KEY,
  name MEDIUMTEXT,
  email VARCHAR(255) UNIQUE,
  email_verified BIGINT,
  image MEDIUMTEXT
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `accounts` (
  provider VARCHAR(128) NOT NULL,
  provider_account_id VARCHAR(640) NOT NULL,
  user_id VARCHAR(255) NOT NULL,
  type VARCHAR(32) NOT NULL,
  access_token MEDIUMTEXT,
  refresh_token MEDIUMTEXT,
  id_token MEDIUMTEXT,
  expires_at BIGINT,
  scope MEDIUMTEXT,
  token_type MEDIUMTEXT,
  session_state MEDIUMTEXT,
  extra MEDIUMTEXT,
  PRIMARY KEY (provider, provider_account_id),
  FOREIGN KEY (user_id) REFERENCES `users` (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `sessions` (
  token_hash VARCHAR(64) NOT NULL PRIMARY KEY,
  user_id VARCHAR(255) NOT NULL,
  expires BIGINT NOT NULL,
  FOREIGN KEY (user_id) REFERENCES `users` (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `verification_tokens` (
  identifier VARCHAR(255) NOT NULL,
  token VARCHAR(255) NOT NULL,
  expires BIGINT NOT NULL,
  PRIMARY KEY (identifier, token)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `authenticators` (
  credential_id VARCHAR(640) NOT NULL PRIMARY KEY,
  user_id VARCHAR(255) NOT NULL,
  provider_account_id VARCHAR(640) NOT NULL,
  credential_public_key MEDIUMTEXT NOT NULL,
  counter BIGINT NOT NULL,
  credential_backed_up SMALLINT NOT NULL,
  credential_device_type VARCHAR(32) NOT NULL,
  transports MEDIUMTEXT,
  FOREIGN KEY (user_id) REFERENCES `users` (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE INDEX `accounts_user_id` ON `accounts` (user_id);

CREATE INDEX `sessions_user_id` ON `sessions` (user_id);

CREATE INDEX `authenticators_user_id` ON `authenticators` (user_id);

CREATE INDEX `sessions_expires` ON `sessions` (expires);

CREATE INDEX `verification_tokens_expires` ON `verification_tokens` (expires);

INSERT INTO `latchkey_migrations` (store, version, is_complete) VALUES ('users', 1, 1);
