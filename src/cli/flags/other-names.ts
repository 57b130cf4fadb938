// Flags of other tools, with our equivalent.

const otherNames: Record<string, string> = {
  '--stealth': '--browser stealth',
  '--headless': '--render always',
  '--js': '--render always',
  '--javascript': '--render always',
  '--browser-render': '--render always',
  '--format': '-o FILE with the extension of the format, like out.csv',
  '--out': '-o',
  '--delay': '--rate, like --rate 1/s',
  '--wait': '--wait-for or --rate',
  '--max-depth': '--depth',
  '--limit-pages': '--max-pages',
  '--threads': '--concurrency',
  '--workers': '--concurrency',
  '--no-robots': '--ignore-robots',
  '--ua': '--user-agent',
  '--agent': '--user-agent',
  '--cookie': "--header 'Cookie: …' or --cookies FILE",
  '--rules': '--extract',
  '--selector': '--extract with a rules file',
  '--retry': '--retries',
}

/** ` (use --browser stealth)`, or an empty string. */
export function otherNameOf(flag: string): string {
  const name = Object.hasOwn(otherNames, flag) ? otherNames[flag] : undefined
  return name === undefined ? '' : ` (use ${name})`
}
