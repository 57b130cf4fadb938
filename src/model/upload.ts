// An upload: a file of rows that was sent here, to be made into a job's tasks.

export interface NewUpload {
  id: string
  workspace: string
  /** As the sender calls it; its ending says the format. */
  fileName: string
  /** Where its bytes are. */
  blobKey: string
  keyId: string | null
  createdAt: number
  /** Nothing is accepted under its URL after this. */
  expiresAt: number
}

export interface Upload extends NewUpload {
  /** Null until all of it is there. */
  completedAt: number | null
  bytes: number
}
