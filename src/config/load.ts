// Loads the settings. Flags override the environment, which overrides the file, which overrides the defaults. Only this file
// reads process.env.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import { defined } from '../lib/defined.ts'
import { problemsOf } from '../lib/text/problems.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { parseYaml } from '../lib/text/yaml.ts'
import { asFailure, Failure } from '../model/failures.ts'
import { isObject } from '../model/json.ts'
import { configNames } from './folder-files.ts'
import { offerOwnPackages } from './own-packages.ts'
import { describeSettings, type Settings, type SettingsInput, settingsSchema } from './settings.ts'

export interface Loaded {
  settings: Settings
  /** The base folder of relative paths and of `scrapers/`. */
  root: string
  configFile: string | null
}

export async function loadSettings(flags: SettingsInput = {}, cwd = process.cwd()): Promise<Loaded> {
  const configFile = configNames.map(name => resolve(cwd, name)).find(path => existsSync(path)) ?? null
  const file = configFile ? await readConfigFile(configFile) : {}
  const given = { ...file, ...fromEnvironment(environment(cwd)), ...defined(flags) }
  const parsed = settingsSchema.safeParse(given)
  if (!parsed.success) throw invalid(parsed.error, configFile)
  return { settings: parsed.data, root: configFile ? dirname(configFile) : cwd, configFile }
}

/** Variables of the process override those of the `.env` file. */
function environment(cwd: string): Record<string, string | undefined> {
  const path = resolve(cwd, '.env')
  return { ...(existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}), ...process.env }
}

/** The path of the file that lists the folders that the user trusts. */
export const trustFile = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'kscrape', 'trusted.json')

/** Whether all folders are trusted. Reads only the environment of the process, not `.env`: a folder must not be able to trust
 *  itself. */
export const trustsAll = (): boolean =>
  settingsSchema.shape.trust.parse(process.env.SCRAPER_TRUST || undefined)

export const isKnownVariable = (name: string): boolean =>
  name.startsWith('SCRAPER_') || describeSettings().some(({ env }) => env === name)

/** Prefix of variables that contain secrets. */
const secretPrefix = 'SCRAPER_SECRET_'

/** Secrets by name. They are not settings: the code that needs a secret reads it here, and no command lists it. */
export function environmentSecrets(cwd = process.cwd()): Record<string, string> {
  const found = Object.entries(environment(cwd)).filter(
    ([name, value]) => name.startsWith(secretPrefix) && value,
  )
  return Object.fromEntries(found.map(([name, value]) => [name.slice(secretPrefix.length), value!]))
}

const isNoYaml = 'contains no settings; write one per line, such as lanes: 2'
const isNoModule = 'exports no settings; write export default defineConfig({ … })'

async function readConfigFile(path: string): Promise<Record<string, unknown>> {
  const isYaml = /\.ya?ml$/.test(path)
  const value: unknown = isYaml
    ? (parseYaml(readFileSync(path, 'utf8')) ?? {})
    : (await importConfig(path)).default
  if (!isObject(value))
    throw new Failure('input.invalid', `${path} ${isYaml ? isNoYaml : isNoModule}`, { path })
  return camelTop(value)
}

/** Imports the config file. It may import kscrape and zod from any folder. */
async function importConfig(path: string): Promise<{ default?: unknown }> {
  offerOwnPackages()
  try {
    return (await import(pathToFileURL(path).href)) as { default?: unknown }
  } catch (cause) {
    const message = `${path} can't be loaded: ${asFailure(cause).message}`
    throw new Failure('input.invalid', message, { path }, { cause })
  }
}

/** Converts `data_dir` (YAML) to `dataDir` (TypeScript). */
function camelTop(value: Record<string, unknown>): Record<string, unknown> {
  const camel = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [camel(key), entry]))
}

function fromEnvironment(variables: Record<string, string | undefined>): Record<string, string> {
  const known = describeSettings()
  refuseUnknown(
    Object.keys(variables),
    known.map(setting => setting.env),
  )
  return Object.fromEntries(
    known.flatMap(({ name, env }) => (variables[env] ? [[name, variables[env] as string]] : [])),
  )
}

/** Refuses a misspelt SCRAPER_… variable, which would otherwise be ignored. */
function refuseUnknown(names: string[], known: string[]): void {
  for (const name of names) {
    if (!name.startsWith('SCRAPER_') || name.startsWith(secretPrefix) || known.includes(name)) continue
    throw new Failure(
      'input.invalid',
      `environment variable ${name} is not a setting${didYouMean(name, known)}; docs/settings.md lists them`,
      { name },
    )
  }
}

function invalid(error: Parameters<typeof problemsOf>[0], configFile: string | null): Failure {
  const known = describeSettings()
  const lines = problemsOf(error, { known: known.map(setting => setting.name) }).map(problem => {
    const env = known.find(setting => setting.name === problem.path)?.env
    return `${problem.path}${env ? ` (${env})` : ''}: ${problem.message}`
  })
  return new Failure(
    'input.invalid',
    `settings${configFile ? ` (${configFile})` : ''}: ${lines.join('; ')}`,
    { lines },
  )
}

const forWindows = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'LANG', 'PATH']

/** Environment variables that a browser window on the user's screen needs. */
export const windowEnvironment = (): Record<string, string> =>
  Object.fromEntries(forWindows.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : [])))

/** Lets the library for browser-like TLS trust additional authorities. The library reads authorities only from the file that
 *  SSL_CERT_FILE names, so this function writes such a file with `given` and the usual authorities. Only the main thread can
 *  set the variable. */
export function shareAuthorities(given: string, usual: () => string): void {
  const named = process.env.SSL_CERT_FILE
  const others = named && existsSync(named) ? readFileSync(named, 'utf8') : usual()
  if (others.includes(given)) return
  const folder = mkdtempSync(join(tmpdir(), 'kscrape-authorities-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env.SSL_CERT_FILE = join(folder, 'authorities.pem')
  writeFileSync(process.env.SSL_CERT_FILE, `${others}\n${given}`)
}
