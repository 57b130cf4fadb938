// Request and response schemas of the uploads API.
import * as z from 'zod'
import { id } from '../ids.ts'

export const uploadParams = z.object({ uploadId: id })

export const newUploadBody = z
  .strictObject({
    fileName: z
      .string()
      .min(1)
      .max(255)
      .refine(isFileName, 'a file name, without a path')
      .describe('The extension selects the format: txt, csv, tsv, json, jsonl, each also with .gz.'),
    bytes: z.int().min(0).optional().describe('Size in bytes; a file of another size is refused.'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'SHA-256 in hex')
      .optional()
      .describe('SHA-256 of the file in hex; a file with another checksum is refused.'),
  })
  .meta({ examples: [{ file_name: 'urls.txt' }] })

function isFileName(name: string): boolean {
  return !/[/\\\u0000-\u001f\u007f]/.test(name) && name !== '.' && name !== '..'
}

const time = z.string().describe('ISO 8601, in UTC.')

export const shownUpload = z.object({
  uploadId: z.string(),
  fileName: z.string(),
  status: z.enum(['waiting', 'complete', 'expired']),
  bytes: z.int().describe('Size of the file; 0 until the upload is complete.'),
  createdAt: time,
  expiresAt: time.describe('When the upload URL expires.'),
  completedAt: time.nullable(),
})

export const createdUpload = shownUpload.extend({
  method: z.literal('PUT'),
  uploadUrl: z.string().describe('URL for one PUT with the file as its body. It needs no key.'),
  headers: z.record(z.string(), z.string()).describe('Headers that the PUT must send unchanged.'),
})

export const receivedUpload = z.object({
  uploadId: z.string(),
  status: z.literal('complete'),
  bytes: z.int(),
  sha256: z.string(),
})

/** Size and checksum are optional. If given, the uploaded file must match. */
export type NewUpload = z.input<typeof newUploadBody>
export type UploadShown = z.infer<typeof shownUpload>
export type UploadPlace = z.infer<typeof createdUpload>
