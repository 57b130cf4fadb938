// The action of kscrape init.
import { writeFile } from 'node:fs/promises'
import { Failure } from '../../model/failures.ts'
import { targetsOf } from '../flags/targets.ts'
import { print } from '../print.ts'

interface InitFlags {
  url: string
  force?: boolean
}

export async function writeJobFile(file: string, { url, force }: InitFlags): Promise<void> {
  const text = jobFile(targetsOf([url])[0]!)
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? 'it already exists; name another file or add --force' : String(code)
    throw new Failure('input.invalid', `${file} can't be written: ${why}`, { file }, { cause })
  }
  print(`wrote ${file}; run it with \`kscrape jobs create ${file} -o records.jsonl\``)
}

/** The content of the job file. Every line that is not commented out is a default or a safe start value. */
export const jobFile = (
  url: string,
): string => `# A job of kscrape. Run it: kscrape jobs create THIS-FILE -o records.jsonl
# All fields: docs/api.md. All policies: docs/policies.md.

# A crawl follows links from here. For a list of pages write "urls:" instead.
seed_urls:
  - ${JSON.stringify(url)}

# How far to go.
depth: 2
max_pages: 100
# Only these pages, and never those.
# include: ["**/products/**"]
# exclude: ["**/login/**"]

# When a browser loads the pages: never, auto or always.
render: never

# Which fields to take. Without rules each record has the title, text, Markdown, links and structured data of its page.
# extract:
#   each: .card            # one record per match; leave it out for one record per page
#   fields:
#     name: h2
#     price: { css: .price, as: money }
#     link: { css: a, attr: href, as: url }

policy:
  host:
    # Requests per second to one host.
    rate: 1
  retries:
    attempts: 3
`
