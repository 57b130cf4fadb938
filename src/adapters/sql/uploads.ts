// Uploads: facts about the files. Their bytes are blobs.
import type { Upload } from '../../model/upload.ts'
import type { UploadStore } from '../../ports/service-stores.ts'
import { pageOf } from './pages.ts'
import type { Sql } from './sql.ts'
import { findAll, findOne, stored } from './stored.ts'

const uploads = stored<Upload>('uploads', {
  id: 'plain',
  workspace: 'plain',
  fileName: 'plain',
  blobKey: 'plain',
  keyId: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
  completedAt: 'plain',
  bytes: 'plain',
})

export function uploadStore(sql: Sql): UploadStore {
  return {
    async create(upload) {
      await sql.run(uploads.insert, ...uploads.values({ ...upload, completedAt: null, bytes: 0 }))
    },

    get: uploadId => findOne(sql, uploads, 'WHERE id = $1', uploadId),
    list: (page = {}) => pageOf(sql, uploads, page),

    async complete(uploadId, { bytes, at }) {
      const text = 'UPDATE uploads SET completed_at = $1, bytes = $2 WHERE id = $3 AND completed_at IS NULL'
      return (await sql.run(text, at, bytes, uploadId)) === 1
    },

    delete: async uploadId => (await sql.run('DELETE FROM uploads WHERE id = $1', uploadId)) === 1,

    expired: (now, limit) =>
      findAll(
        sql,
        uploads,
        'WHERE completed_at IS NULL AND expires_at <= $1 ORDER BY no LIMIT $2',
        now,
        limit,
      ),
  }
}
