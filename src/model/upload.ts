// An upload: a file of rows for a job.

export interface NewUpload {
  id: string
  workspace: string
  /** The file name that the sender gave. Its extension selects the format. */
  fileName: string
  /** Key of the blob that contains the file. */
  blobKey: string
  keyId: string | null
  createdAt: number
  /** When the upload URL expires, in epoch ms. */
  expiresAt: number
}

export interface Upload extends NewUpload {
  /** Null until the upload is complete. */
  completedAt: number | null
  bytes: number
}
