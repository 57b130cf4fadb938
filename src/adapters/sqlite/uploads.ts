// Uploads: facts about files; their bytes are blobs.
import type { UploadStore } from '../../ports/service-stores.ts'
import { type UploadRow, uploadOf } from '../rows/upload-rows.ts'
import { rowBefore } from './pages.ts'
import type { Parts } from './parts.ts'

export function uploadStore({ connection }: Parts): UploadStore {
  return {
    async create({ id, workspace, fileName, blobKey, keyId, createdAt, expiresAt }) {
      const text = `INSERT INTO uploads (id, workspace, file_name, blob_key, key_id, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`
      connection.write(() =>
        connection.run(text, id, workspace, fileName, blobKey, keyId, createdAt, expiresAt),
      )
    },

    async get(uploadId) {
      const row = connection.one<UploadRow>('SELECT * FROM uploads WHERE id = ?', uploadId)
      return row ? uploadOf(row) : null
    },

    async list({ workspace, limit = 100, cursor } = {}) {
      const rows = connection.all<UploadRow>(
        'SELECT * FROM uploads WHERE no < ?1 AND (?2 IS NULL OR workspace = ?2) ORDER BY no DESC LIMIT ?3',
        rowBefore(connection, 'uploads', cursor),
        workspace ?? null,
        limit,
      )
      return rows.map(uploadOf)
    },

    async complete(uploadId, { bytes, at }) {
      const text = 'UPDATE uploads SET completed_at = ?, bytes = ? WHERE id = ? AND completed_at IS NULL'
      return connection.write(() => connection.run(text, at, bytes, uploadId)) === 1
    },

    async delete(uploadId) {
      return connection.write(() => connection.run('DELETE FROM uploads WHERE id = ?', uploadId)) === 1
    },

    async expired(now, limit) {
      const text = 'SELECT * FROM uploads WHERE completed_at IS NULL AND expires_at <= ? ORDER BY no LIMIT ?'
      return connection.all<UploadRow>(text, now, limit).map(uploadOf)
    },
  }
}
