// The credentials of one task: brought when its scraper starts, and cut out of everything that is kept of it.
import { Redactor } from '../../lib/secrets/redactor.ts'
import { leastSecretLength } from '../../lib/secrets/secret-forms.ts'
import { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import type { Credential } from '../../ports/secrets.ts'
import type { OpenJob } from './lane-job.ts'

/** Who one is, not what proves it: it may stand in a page, and the page would be torn apart without it. */
const names = /^(user(_?name)?|login|e?-?mail|account|client_?id|id)$/i

export class TaskCredentials {
  readonly #job: OpenJob
  readonly #signal: AbortSignal
  /** Everything, for words of ours; only what proves something, for pages. */
  readonly #all = new Redactor()
  readonly #proofs = new Redactor()

  constructor(job: OpenJob, signal: AbortSignal) {
    this.#job = job
    this.#signal = signal
  }

  get = async (provider: string): Promise<Credential> => {
    const credential = await this.#job.credentialsFor(provider, this.#signal)
    for (const [name, value] of Object.entries(credential)) {
      this.#all.add(value)
      if (value.length >= leastSecretLength && !names.test(name)) this.#proofs.add(value)
    }
    return credential
  }

  /** A form may send them in an address, and a page may echo what it was sent. */
  page(page: Page): Page {
    if (this.#all.isEmpty) return page
    const { url, finalUrl, body, hops, requestHeaders } = page
    return {
      ...page,
      url: this.#all.text(url),
      finalUrl: this.#all.text(finalUrl),
      hops: this.#all.json(hops),
      ...(requestHeaders && { requestHeaders: this.#all.json(requestHeaders) }),
      body: this.#proofs.bytes(body),
    }
  }

  url(url: string): string {
    return this.#all.text(url)
  }

  failure(failure: Failure): Failure {
    if (this.#all.isEmpty) return failure
    const { code, message, details } = failure
    return new Failure(code, this.#all.text(message), this.#all.json(details))
  }
}
