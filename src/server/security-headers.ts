// Security headers of every response: no scripts, no frames, no type sniffing, no cross-origin reads. A constant table instead
// of a package, because building the headers took an eighth of a status request (npm run bench -- api).
import type { Settings } from '../config/settings.ts'

const always = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Adds HSTS if the service has an HTTPS URL. */
export const securityHeadersFor = ({ publicUrl }: Settings): Record<string, string> => ({
  ...always,
  ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
})
