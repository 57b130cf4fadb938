// E-mails of monitors. The outbox that sends webhooks passes them to the operator's mail server.
import type { Settings } from '../../config/settings.ts'
import { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import type { Fetch } from '../../ports/fetch.ts'

type MailSettings = Pick<Settings, 'smtpUrl' | 'smtpFrom'>

/** Sends messages for `mailto:` addresses, and passes other requests to `fetch`. */
export function withMail(fetch: Fetch, { smtpUrl, smtpFrom }: MailSettings): Fetch {
  return async (request, signal) => {
    if (!request.url.startsWith('mailto:')) return fetch(request, signal)
    if (smtpUrl === undefined)
      throw new Failure('webhook.failed', 'no mail server is set; set SCRAPER_SMTP_URL and replay the e-mail')
    const { subject, text } = JSON.parse(String(request.body)) as { subject: string; text: string }
    const to = request.url.slice('mailto:'.length).split(',').map(decodeURIComponent)
    const from = smtpFrom ?? `kscrape@${new URL(smtpUrl).hostname}`
    const timeoutMs = request.timeouts.totalMs
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      ...({ url: smtpUrl } as object),
      ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
      // The text may come from web pages. It must not make the mailer read files or URLs.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    try {
      await transport.sendMail({ from, to, subject, text })
      return answered(request.url)
    } catch (error) {
      throw new Failure(
        'webhook.failed',
        `${new URL(smtpUrl).host} did not accept the e-mail: ${(error as Error).message}`,
      )
    } finally {
      transport.close()
    }
  }
}

/** A response for the outbox, which uses only its status. */
const answered = (url: string): Page =>
  ({ url, finalUrl: url, status: 250, headers: [], body: Buffer.alloc(0) }) as unknown as Page
