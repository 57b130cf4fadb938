// The page where site owners opt out: plain HTML, no scripts, nothing from other hosts.
import { createHash } from 'node:crypto'
import type { HostListing } from '../../../model/conduct.ts'
import { proofsOf } from './requests.ts'

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}
label{display:block;margin:1rem 0 .25rem}input[type=text],textarea{width:100%;font:inherit;padding:.4rem;box-sizing:border-box}
button{font:inherit;padding:.4rem 1rem;margin-top:1rem}code{background:#eee;padding:0 .2rem;overflow-wrap:anywhere}
.problem{border-left:.3rem solid #b00;padding-left:.7rem}.done{border-left:.3rem solid #080;padding-left:.7rem}`

/** The Content-Security-Policy: only the style above, and forms that post to this service. */
export const pagePolicy = (): string => {
  const hash = createHash('sha256').update(style).digest('base64')
  return `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`
}

interface FormState {
  problem?: string
  host?: string
}

export const formPage = ({ problem, host = '' }: FormState = {}): string =>
  layout(
    'Opt out of crawling',
    `<p>This is a crawler. It identifies itself, obeys robots.txt and limits its request rate. If you do not want it to visit your site at all,
fill in this form. No job, not even a running one, will send requests to your site.</p>
${problem ? `<p class="problem" role="alert">${text(problem)}</p>` : ''}
<form method="post" action="/do-not-crawl/request">
<label for="host">Your site</label>
<input type="text" id="host" name="host" required maxlength="300" placeholder="example.com" value="${text(host)}">
<label><input type="checkbox" name="subdomains"> its subdomains too</label>
<label for="reason">What is wrong (optional)</label>
<textarea id="reason" name="reason" rows="3" maxlength="2000"></textarea>
<label for="contact">Where we can reach you (optional)</label>
<input type="text" id="contact" name="contact" maxlength="300">
<button>Ask</button>
</form>`,
  )

export function requestPage(listing: HostListing, looked: readonly string[] = []): string {
  const { dns, wellKnown } = proofsOf(listing)
  if (listing.state === 'proved' || listing.state === 'approved')
    return layout(
      'Your site is excluded',
      `<p class="done">${text(listing.pattern)} gets no more requests from this crawler.</p>`,
    )
  const found = looked.map(line => `<li>${text(line)}</li>`).join('')
  return layout(
    'Prove that it is your site',
    `<p>Your request for <strong>${text(listing.pattern)}</strong> is stored as <code>${text(listing.id)}</code>. The operator will review it.
It applies at once if you add one of these:</p>
<ul>
<li>a DNS record: <code>${text(dns.name)}</code>, type TXT, with the text <code>${text(dns.value)}</code></li>
<li>a file at <code>${text(wellKnown.url)}</code> with the text <code>${text(wellKnown.content)}</code></li>
</ul>
${found ? `<p class="problem" role="alert">The proof was not found:</p><ul>${found}</ul>` : ''}
<form method="post" action="/do-not-crawl/request/${text(listing.id)}/check"><button>Check now</button></form>`,
  )
}

export const problemPage = (message: string): string =>
  layout(
    'The request failed',
    `<p class="problem" role="alert">${text(message)}</p><p><a href="/do-not-crawl/request">Back</a></p>`,
  )

const layout = (title: string, body: string): string =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<meta name="robots" content="noindex"><title>${text(title)}</title><style>${style}</style></head>` +
  `<body><h1>${text(title)}</h1>${body}</body></html>`

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const text = (words: string): string => words.replace(/[&<>"']/g, mark => marks[mark]!)
