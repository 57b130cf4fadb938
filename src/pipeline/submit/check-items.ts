// Items that come with a job are checked against the scraper's input before the job is accepted.
import type { Problem } from '../../lib/text/problems.ts'
import { Failure } from '../../model/failures.ts'
import { issueLines, type StandardSchema } from '../../model/standard-schema.ts'

/** So many problems are named one by one; whoever sent more has one cause for all of them. */
const mostNamed = 20

export function checkItems(schema: StandardSchema, items: ReadonlyArray<{ input: unknown }>): void {
  const problems = items.flatMap(({ input }, index) => problemsWith(schema, input, `items[${index}].input`))
  if (problems.length === 0) return
  const named = problems
    .slice(0, mostNamed)
    .map(({ path, message }) => `${path}.${message}`.replace('.(whole)', ''))
  const more = problems.length > mostNamed ? `; and ${problems.length - mostNamed} more` : ''
  throw new Failure('input.invalid', `the job can't be accepted: ${named.join('; ')}${more}`, { problems })
}

function problemsWith(schema: StandardSchema, input: unknown, path: string): Problem[] {
  const result = schema['~standard'].validate(input)
  // An asynchronous schema is asked when the task runs.
  if (result instanceof Promise || !result.issues) return []
  return issueLines(result.issues).map(message => ({ path, message }))
}
