// The credentials of one task: loaded when its scraper starts, and removed from everything that is stored.
import { Redactor } from '../../../lib/secrets/redactor.ts'
import { leastSecretLength } from '../../../lib/secrets/secret-forms.ts'
import { Failure } from '../../../model/failures.ts'
import type { Page } from '../../../model/page/page.ts'
import { cutParts } from '../../../model/page/page-parts.ts'
import type { Credential } from '../../../ports/secrets.ts'
import type { OpenJob } from '../lane/open-job.ts'

/** User names are not secrets; redacting them would mangle pages. */
const names = /^(user(_?name)?|login|e?-?mail|account|client_?id|id)$/i

export class TaskCredentials {
  readonly #job: OpenJob
  readonly #signal: AbortSignal
  /** Removes all values, also user names, from our own messages. In pages, only the secret values are removed. */
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

  /** Removes secrets from a page. A form may have sent secrets in a URL, and a page may show them. */
  page(page: Page): Page {
    if (this.#all.isEmpty) return page
    const { url, finalUrl, body, hops, requestHeaders, parts } = page
    return {
      ...page,
      url: this.#all.text(url),
      finalUrl: this.#all.text(finalUrl),
      hops: this.#all.json(hops),
      ...(requestHeaders && { requestHeaders: this.#all.json(requestHeaders) }),
      body: this.#proofs.bytes(body),
      ...(parts && { parts: cutParts(parts, this.#all, this.#proofs) }),
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
