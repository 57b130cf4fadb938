// Uploads: facts about the files. Their bytes are blobs.
import type { Upload } from '../../model/upload.ts'
import type { UploadStore } from '../../ports/service-stores.ts'
import { pageOf } from './pages.ts'
import type { Sql } from './sql.ts'

interface UploadRow {
  id: string
  workspace: string
  file_name: string
  blob_key: string
  key_id: string | null
  created_at: number
  expires_at: number
  completed_at: number | null
  bytes: number
}

const uploadOf = (row: UploadRow): Upload => ({
  id: row.id,
  workspace: row.workspace,
  fileName: row.file_name,
  blobKey: row.blob_key,
  keyId: row.key_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  completedAt: row.completed_at,
  bytes: row.bytes,
})

export function uploadStore(sql: Sql): UploadStore {
  return {
    async create({ id, workspace, fileName, blobKey, keyId, createdAt, expiresAt }) {
      const text = `INSERT INTO uploads (id, workspace, file_name, blob_key, key_id, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`
      await sql.run(text, id, workspace, fileName, blobKey, keyId, createdAt, expiresAt)
    },

    async get(uploadId) {
      const row = await sql.one<UploadRow>('SELECT * FROM uploads WHERE id = $1', uploadId)
      return row && uploadOf(row)
    },

    list: async (page = {}) => (await pageOf<UploadRow>(sql, 'uploads', page)).map(uploadOf),

    async complete(uploadId, { bytes, at }) {
      const text = 'UPDATE uploads SET completed_at = $1, bytes = $2 WHERE id = $3 AND completed_at IS NULL'
      return (await sql.run(text, at, bytes, uploadId)) === 1
    },

    delete: async uploadId => (await sql.run('DELETE FROM uploads WHERE id = $1', uploadId)) === 1,

    async expired(now, limit) {
      const text =
        'SELECT * FROM uploads WHERE completed_at IS NULL AND expires_at <= $1 ORDER BY no LIMIT $2'
      return (await sql.all<UploadRow>(text, now, limit)).map(uploadOf)
    },
  }
}
