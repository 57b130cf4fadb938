// Makes docs/settings.md and .env.example from the schema of the settings.
import { describeSettings, type SettingInfo, settingsSchema } from '../src/config/settings.ts'
import { formatDuration, formatRate } from '../src/lib/text/units.ts'

type Kind = 'duration' | 'rate' | 'on or off' | 'list' | 'number' | 'text'

/** For each kind of setting, a text to parse and a check of the result. A setting has the first kind whose check succeeds. */
const probes: Array<[Kind, string, (value: unknown) => boolean]> = [
  ['duration', '90s', value => value === 90_000],
  ['rate', '30/m', value => value === 0.5],
  ['on or off', 'off', value => value === false],
  ['list', 'a:1, b:2', value => Array.isArray(value) && value.length === 2],
  ['number', '7', value => value === 7],
]

function kindOf(name: SettingInfo['name']): Kind {
  const schema = settingsSchema.shape[name]
  const reads = (text: string): unknown => {
    try {
      return schema.parse(text)
    } catch {
      return undefined
    }
  }
  return probes.find(([, text, isIt]) => isIt(reads(text)))?.[0] ?? 'text'
}

/** The default as it is written in the environment. */
function defaultText({ name, fallback }: SettingInfo): string {
  const kind = kindOf(name)
  if (fallback === undefined) return ''
  if (Array.isArray(fallback)) return fallback.join(',')
  if (kind === 'duration') return formatDuration(fallback as number)
  if (kind === 'rate') return formatRate(fallback as number | 'unlimited')
  return String(fallback)
}

/** The name in TypeScript, and in YAML if that differs. */
function namesOf(name: string): string {
  const inYaml = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return [...new Set([name, inYaml])].map(each => `\`${each}\``).join(', ')
}

function row(setting: SettingInfo): string {
  const written = defaultText(setting)
  const cells = [
    namesOf(setting.name),
    `\`${setting.env}\``,
    kindOf(setting.name),
    written ? `\`${written}\`` : 'none',
    setting.about,
  ]
  return `| ${cells.join(' | ')} |`
}

export function settingsPage(): string {
  return `<!-- Made from src/config/settings.ts by \`npm run docs\`. Change it there. -->
# Settings

A setting can be in four places. If several places set it, the last one in this list applies:

1. the default in the table below;
2. the file \`kscrape.config.ts\` (or \`.js\`, \`.yaml\`) in the current folder;
3. the environment, or a \`.env\` file in the current folder (real variables override \`.env\`);
4. a flag on the command line.

A name that is not in this table is an error, so you notice typos at once.

Write a duration like \`500ms\`, \`5s\`, \`2m\` or \`1h\`, and a rate like \`2/s\`, \`30/m\` or \`unlimited\`. Separate the values of a list with
commas. In TypeScript, a duration is a number of milliseconds, a rate is a number per second, and a list is an array.

| setting (TypeScript, YAML) | variable | kind | default | meaning |
| --- | --- | --- | --- | --- |
${describeSettings().map(row).join('\n')}

Policies of single domains (rate, hours, robots.txt and more) are in the file of \`domainPolicies\`
([politeness.md](politeness.md#domain_policiesyaml)). A job can have its own [policy](policies.md).
`
}

export function environmentExample(): string {
  const entries = describeSettings().map(
    setting => `# ${setting.about}\n# ${setting.env}=${defaultText(setting)}\n`,
  )
  return `# Made from src/config/settings.ts by \`npm run docs\`. Copy it to .env and uncomment what you want to change.
# Real environment variables override .env. Reference: docs/settings.md

${entries.join('\n')}`
}
