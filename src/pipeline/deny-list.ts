// The do-not-crawl list: hosts that are never asked, whatever a job says.

/** `example.com` is that host on every port, `example.com:8080` on that one; `*.example.com` its subdomains and itself. */
export function isDenied(host: string, denied: readonly string[]): boolean {
  if (denied.length === 0) return false
  const whole = plain(host)
  const name = plain(host.replace(/:\d+$/, ''))
  return denied.some(entry => {
    const wanted = plain(entry)
    return wanted.startsWith('*.')
      ? name === wanted.slice(2) || name.endsWith(wanted.slice(1))
      : name === wanted || whole === wanted
  })
}

/** `EXAMPLE.com.` is the same host to DNS. */
const plain = (host: string): string => host.toLowerCase().replace(/\.(?=:\d+$|$)/, '')
