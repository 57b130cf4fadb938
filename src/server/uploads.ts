// The dependencies of functions that find, complete and delete uploads.
import type { UploadParts } from '../pipeline/submit/uploads.ts'
import type { Server } from './parts.ts'

export const uploadParts = ({ parts, settings }: Pick<Server, 'parts' | 'settings'>): UploadParts => ({
  ...{ store: parts.store, blobs: parts.blobs, clock: parts.clock },
  maxUploadBytes: settings.maxUploadBytes,
})
