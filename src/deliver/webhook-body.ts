// The webhook body of an ended job: status, counts, and results if they are small.

/** The webhook of a job with more tasks contains no results. */
export const mostTasksInFull = 100
/** Limit of the results in a webhook, so that receivers need not accept large bodies. About a hundred typical pages. */
const mostResultBytes = 4_194_304

const leftOut = {
  'too-many-tasks': `the job has more than ${mostTasksInFull} tasks`,
  'too-long': `they are longer than ${mostResultBytes} bytes`,
}
/** Why the webhook contains no results. */
type LeftOut = keyof typeof leftOut
/** The results of a job as JSON text, or why the webhook does not contain them. */
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

/** The job in the JSON form of the API, in snake_case. If results are left out, `summary` gets a note. */
export interface ToldJob {
  summary: object
}

/** The body of the webhook. `whereTheyAre` is the API request that returns the results. */
export function webhookBody(told: ToldJob, results: ToldResults, whereTheyAre: string): string {
  const why = results in leftOut ? leftOut[results as LeftOut] : null
  const summary =
    why === null ? told.summary : { ...told.summary, results_left_out: `${why}; ${whereTheyAre} has them` }
  // `results` is already JSON text, so it is inserted as it is.
  return `${JSON.stringify({ ...told, summary }).slice(0, -1)},"results":${why === null ? results : 'null'}}`
}
