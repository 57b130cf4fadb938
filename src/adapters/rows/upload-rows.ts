// An upload's row, as stores on any backend have it.
import type { Upload } from '../../model/upload.ts'

export interface UploadRow {
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

export const uploadOf = (row: UploadRow): Upload => ({
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
