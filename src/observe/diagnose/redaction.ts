// Removes secrets from a diagnosis in two ways: by the names of fields, and by known secret values.
import { environmentSecrets } from '../../config/load.ts'
import { proxySecrets } from '../../config/operator-proxies.ts'
import { describeSettings, type Settings } from '../../config/settings.ts'
import { withoutSecrets } from '../../lib/secrets/clean-url.ts'
import { Redactor } from '../../lib/secrets/redactor.ts'
import { cutMark, leastSecretLength } from '../../lib/secrets/secret-forms.ts'
import { sensitivityOf } from '../../lib/secrets/sensitive-names.ts'
import { decodePercent } from '../../lib/text/percent-encoding.ts'
import { originOf } from '../../pipeline/report/diagnose-job.ts'

export type Redact = <Value>(value: Value) => Value

export function redactionFor(settings: Settings, more: readonly (string | undefined)[] = []): Redact {
  const secrets = new Redactor()
  for (const secret of [...secretValues(settings), ...more]) if (secret) secrets.add(secret)
  const redact = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return isNamedSecret(name) ? cutMark : secrets.text(withoutSecrets(value))
    if (Array.isArray(value)) return value.map(each => redact(each, name))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, each]) => [secrets.text(key), redact(each, key)])
    return Object.fromEntries(entries)
  }
  return <Value>(value: Value) => redact(value, '') as Value
}

/** Whether a field with this name contains a secret. Key ids and storage keys are not secrets. */
const isNamedSecret = (name: string): boolean =>
  !['keyId', 'key_id', 'rawKey'].includes(name) && sensitivityOf(name) !== null

const isSecretSetting = (name: string): boolean =>
  sensitivityOf(name) !== null || /(zone|header)s?$/i.test(name)

/** All secret values of the settings: keys, and passwords in URLs. */
function secretValues(settings: Settings): string[] {
  const named = Object.entries(settings).flatMap(([name, value]) =>
    textsIn(value).flatMap(text => (isSecretSetting(name) ? [text, ...partsOf(text)] : userInfoOf(text))),
  )
  return [...named, ...knownProxies(settings), ...Object.values(environmentSecrets())]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** The secret part of values like `residential=ZONE:PASSWORD` and `Authorization=Bearer TOKEN`. */
const partsOf = (text: string): string[] => {
  const last = text.split(/[:=\s]/).at(-1)!
  return last.length >= leastSecretLength && last !== text ? [last] : []
}

function userInfoOf(text: string): string[] {
  const { username = '', password = '' } = URL.parse(text) ?? {}
  if (password === '') return []
  return [password, decodePercent(password), `${username}:${password}`]
}

/** The secrets of proxies. Empty if the proxy file cannot be read; the code that uses the file reports the error. */
function knownProxies(settings: Settings): string[] {
  try {
    return proxySecrets(settings)
  } catch {
    return []
  }
}

export function shownSettings(settings: Settings): Record<string, unknown> {
  const shown = describeSettings().flatMap(({ name, env, fallback }) => {
    const value = settings[name]
    if (value === undefined) return []
    return [[name, { env, value: valueShown(name, value), isDefault: isSame(value, fallback) }]]
  })
  return Object.fromEntries(shown)
}

function valueShown(name: string, value: unknown): unknown {
  if (isSecretSetting(name)) return cutMark
  return name === 'webhookUrl' ? originOf(String(value)) : value
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
