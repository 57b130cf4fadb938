// The webhook body of an ended job: status, counts, and results if they are small.

/** Jobs with more tasks send no results. */
export const mostTasksInFull = 100
/** Receivers should not have to accept more than a typical hundred pages. */
const mostResultBytes = 4_194_304

const leftOut = {
  'too-many-tasks': `the job has more than ${mostTasksInFull} tasks`,
  'too-long': `they are longer than ${mostResultBytes} bytes`,
}
/** Why the results are not sent. */
type LeftOut = keyof typeof leftOut
/** The results of a job as JSON, or why they are not sent. */
export type ToldResults = string | LeftOut

/** Joins the JSON texts of results into one array. Stops reading as soon as they are too long. */
export async function resultsText(
  texts: AsyncIterable<string> | Iterable<string>,
): Promise<string | 'too-long'> {
  const taken: string[] = []
  let bytes = 2
  for await (const text of texts) {
    bytes += Buffer.byteLength(text) + 1
    if (bytes > mostResultBytes) return 'too-long'
    taken.push(text)
  }
  return `[${taken.join(',')}]`
}

/** The job as the API shows it, in snake_case. `summary` gets a note if results are left out. */
export interface ToldJob {
  summary: object
}

/** `whereTheyAre` is the request that returns the results. */
export function webhookBody(told: ToldJob, results: ToldResults, whereTheyAre: string): string {
  const why = results in leftOut ? leftOut[results as LeftOut] : null
  const summary =
    why === null ? told.summary : { ...told.summary, results_left_out: `${why}; ${whereTheyAre} has them` }
  // The results are JSON already.
  return `${JSON.stringify({ ...told, summary }).slice(0, -1)},"results":${why === null ? results : 'null'}}`
}
