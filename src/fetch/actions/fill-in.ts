// Fills the templates of a step with values of the input row, secrets, the current for-each item, and results of
// earlier steps.
import { didYouMean } from '../../lib/text/suggest.ts'
import { Failure } from '../../model/failures.ts'
import { readTemplate, type TemplatePart } from '../../model/page/templates.ts'
import type { ActionRun, Step } from './run.ts'

export async function fillIn(run: ActionRun, step: Step, text: string): Promise<string> {
  const parts = readTemplate(text)
  if (typeof parts === 'string') throw new Error(parts)
  const filled = await Promise.all(parts.map(part => valueFor(run, step, part)))
  return filled.join('')
}

async function valueFor(run: ActionRun, step: Step, part: TemplatePart): Promise<string> {
  if (part.is === 'text') return part.text
  if (part.is === 'secret') return secretOf(run, step, part.name)
  if (part.is === 'item') return itemOf(step)
  if (part.is === 'row') return columnOf(run.plan.row, part.name)
  const value = run.values[part.name]
  if (value === undefined) throw new Error(`{{value.${part.name}}} was not evaluated before this step`)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function secretOf(run: ActionRun, step: Step, name: string): Promise<string> {
  const { secrets, redactor } = run.parts
  const secret = await run.bounded(secrets.get(name))
  if (secret === null) {
    const meant = didYouMean(name, await secrets.names())
    const message = `${step.path} needs the secret ${name}, which is not set${meant}; set SCRAPER_SECRET_${name.toUpperCase()} or put it into the file of SCRAPER_SECRETS_FILE`
    throw new Failure('secret.missing', message, { secret: name, path: step.path })
  }
  redactor.add(secret)
  return secret
}

function itemOf({ item }: Step): string {
  if (item?.is === 'value') return item.text
  throw new Error('{{item}} is filled in only within a for-each over values')
}

/** The value of a column as text. A missing column is an error, not an empty value. */
function columnOf(row: Record<string, unknown>, name: string): string {
  const value = row[name]
  if (value === undefined) {
    const columns = Object.keys(row)
    const there = columns.length > 0 ? `it has ${columns.slice(0, 20).join(', ')}` : 'it is empty'
    throw new Error(`the row has no column "${name}"${didYouMean(name, columns)}; ${there}`)
  }
  return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}
