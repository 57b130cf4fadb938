// Uploads: facts about files; their bytes are blobs.
import type { UploadStore } from '../../ports/service-stores.ts'
import { type UploadRow, uploadOf } from '../rows/upload-rows.ts'
import type { Database } from './database.ts'
import { rowBefore } from './pages.ts'

export function uploadStore(database: Database): UploadStore {
  return {
    async create({ id, workspace, fileName, blobKey, keyId, createdAt, expiresAt }) {
      const text = `INSERT INTO uploads (id, workspace, file_name, blob_key, key_id, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`
      await database.run(text, id, workspace, fileName, blobKey, keyId, createdAt, expiresAt)
    },

    async get(uploadId) {
      const row = await database.one<UploadRow>('SELECT * FROM uploads WHERE id = $1', uploadId)
      return row ? uploadOf(row) : null
    },

    async list({ workspace, limit = 100, cursor } = {}) {
      const rows = await database.all<UploadRow>(
        'SELECT * FROM uploads WHERE no < $1 AND ($2::text IS NULL OR workspace = $2) ORDER BY no DESC LIMIT $3',
        await rowBefore(database, 'uploads', cursor),
        workspace ?? null,
        limit,
      )
      return rows.map(uploadOf)
    },

    async complete(uploadId, { bytes, at }) {
      const text = 'UPDATE uploads SET completed_at = $1, bytes = $2 WHERE id = $3 AND completed_at IS NULL'
      return (await database.run(text, at, bytes, uploadId)) === 1
    },

    delete: async uploadId => (await database.run('DELETE FROM uploads WHERE id = $1', uploadId)) === 1,

    async expired(now, limit) {
      const text =
        'SELECT * FROM uploads WHERE completed_at IS NULL AND expires_at <= $1 ORDER BY no LIMIT $2'
      return (await database.all<UploadRow>(text, now, limit)).map(uploadOf)
    },
  }
}
