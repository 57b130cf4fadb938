// The do-not-crawl list: hosts that are never asked, whatever a job says.

/** `example.com` is that host; `*.example.com` its subdomains and itself. */
export function isDenied(host: string, denied: readonly string[]): boolean {
  if (denied.length === 0) return false
  const name = host.replace(/:\d+$/, '')
  return denied.some(entry =>
    entry.startsWith('*.')
      ? name === entry.slice(2) || name.endsWith(entry.slice(1))
      : name === entry || host === entry,
  )
}
