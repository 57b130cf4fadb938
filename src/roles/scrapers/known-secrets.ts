// Removes known secrets from everything that is recorded, because a page may echo a header.
import { formsOf, leastSecretLength } from '../../lib/secrets/secret-forms.ts'
import type { HeaderList } from '../../model/page/page.ts'
import { cutMark, type Found } from './remove-secrets.ts'

export class KnownSecrets {
  readonly #forms = new Set<string>()

  /** Adds a secret. If the name only suggests a secret, the value is added only if it looks random. */
  readonly add: Found = (value, how) => {
    if (
      value.length < leastSecretLength ||
      value.includes(cutMark) ||
      (how === 'weak' && !looksRandom(value))
    )
      return
    for (const form of formsOf(value)) if (form.length >= leastSecretLength) this.#forms.add(latin1(form))
  }

  /** Adds header values that identify the sender: authorization, cookies, keys. */
  addHeader(name: string, value: string): void {
    const lower = name.toLowerCase()
    if (lower === 'cookie' || lower === 'set-cookie') this.#addCookies(lower, value)
    else this.#addCredentials(value)
  }

  /** Adds `Bearer x` and `x` alone. For `Basic x`, also adds the password in it. */
  #addCredentials(value: string): void {
    this.add(value, 'strong')
    const credentials = value.slice(value.indexOf(' ') + 1)
    this.add(credentials, 'strong')
    if (!/^basic /i.test(value)) return
    const pair = Buffer.from(credentials, 'base64').toString()
    this.add(pair, 'strong')
    this.add(pair.slice(pair.indexOf(':') + 1), 'strong')
  }

  #addCookies(header: string, value: string): void {
    const pairs = header === 'cookie' ? value.split(';') : value.split(';', 1)
    for (const pair of pairs) this.add(pair.slice(pair.indexOf('=') + 1).trim(), 'weak')
  }

  /** Removes secrets from text, as UTF-8. */
  cutText(text: string): string {
    return Buffer.from(this.cutBytes(Buffer.from(text))).toString()
  }

  /** Removes secrets from bytes. Returns the same buffer if there is none. */
  cutBytes(bytes: Buffer): Buffer {
    let text = bytes.toString('latin1')
    const before = text
    // Replace the longest form first, so that a form that contains another form is replaced as a whole.
    for (const form of [...this.#forms].sort((a, b) => b.length - a.length))
      text = text.replaceAll(form, cutMark)
    return text === before ? bytes : Buffer.from(text, 'latin1')
  }

  cutHeaders(headers: HeaderList): HeaderList {
    return headers.map(([name, value]) => [
      name,
      this.cutBytes(Buffer.from(value, 'latin1')).toString('latin1'),
    ])
  }
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

/** Whether a value looks random, like a session id. The value of `currency=dollars` does not look random. */
const looksRandom = (value: string): boolean =>
  /^\S+$/.test(value) &&
  ((value.length >= 10 && /\d/.test(value) && /[A-Za-z]/.test(value)) || value.length >= 20)
