// Security headers of every response: no scripts, no frames, no type sniffing, no cross-origin reads. The headers are a
// constant table. A package that builds them for each response took an eighth of the time of a status request (npm run bench --
// api).
import type { Settings } from '../../config/settings.ts'

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
