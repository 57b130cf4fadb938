// Removes possible secrets from URLs before they are stored or sent.
import { decodePercent } from '../text/percent-encoding.ts'
import { cutMark } from './secret-forms.ts'
import { sensitivityOf } from './sensitive-names.ts'

/** In an address, or in a text that names some. */
export const withoutSecrets = (text: string): string =>
  text.replace(userInfo, '$1').replace(queryValue, cutIfSensitive)

/** `https://user:password@host` → `https://host` */
const userInfo = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@]+@/gi

/** `?token=abc` → `?token=REDACTED`, judged by the name. */
const queryValue = /([?&;#])([\w.~%[\]+-]{1,100})=([^\s&;#"'<>]+)/g

const cutIfSensitive = (whole: string, sign: string, name: string): string =>
  sensitivityOf(decodePercent(name)) === null ? whole : `${sign}${name}=${cutMark}`
