// An upload: a file of rows for a job.

export interface NewUpload {
  id: string
  workspace: string
  /** The sender's name; its extension selects the format. */
  fileName: string
  /** Key of its bytes. */
  blobKey: string
  keyId: string | null
  createdAt: number
  /** The URL accepts nothing after this. */
  expiresAt: number
}

export interface Upload extends NewUpload {
  /** Null until it is complete. */
  completedAt: number | null
  bytes: number
}
