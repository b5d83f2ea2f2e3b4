/**
 * The store of the old sessions, a file. Any other store works too, for example connect-redis or connect-pg-simple.
 */
import Database from "better-sqlite3"
import session from "express-session"

export class SqliteStore extends session.Store {
  #db

  constructor(file) {
    super()
    this.#db = new Database(file)
    this.#db.exec("CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, data TEXT, ends INTEGER)")
  }

  get(id, done) {
    const row = this.#db.prepare("SELECT data FROM sessions WHERE id = ? AND ends > ?").get(id, Date.now())
    done(null, row ? JSON.parse(row.data) : null)
  }

  set(id, data, done) {
    const row = [id, JSON.stringify(data), new Date(data.cookie.expires).getTime()]
    this.#db.prepare("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)").run(row)
    done?.(null)
  }

  destroy(id, done) {
    this.#db.prepare("DELETE FROM sessions WHERE id = ?").run(id)
    done?.(null)
  }
}
