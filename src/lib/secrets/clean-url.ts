// Removes possible secrets from URLs before they are stored or sent.
import { decodePercent } from '../text/percent-encoding.ts'
import { cutMark } from './secret-forms.ts'
import { sensitivityOf } from './sensitive-names.ts'

/** Accepts a URL, or a text that contains URLs. */
export const withoutSecrets = (text: string): string =>
  text.replace(userInfo, '$1').replace(queryValue, cutIfSensitive)

/** Matches the credentials in `https://user:password@host`. */
const userInfo = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@]+@/gi

/** Matches query parameters. The name decides whether the value is a secret: `?token=abc` becomes `?token=REDACTED`. */
const queryValue = /([?&;#])([\w.~%[\]+-]{1,100})=([^\s&;#"'<>]+)/g

const cutIfSensitive = (whole: string, sign: string, name: string): string =>
  sensitivityOf(decodePercent(name)) === null ? whole : `${sign}${name}=${cutMark}`
