// Views per job or scraper, with a typed column for each field.
import { createHash } from 'node:crypto'
import { Failure } from '../../model/failures.ts'
import { Database, type Queries } from './database.ts'
import { parsedData, viewPrefix, withoutCallers } from './reporting-views.ts'

/** Which records a view contains. */
export type ViewSubject =
  | { of: 'job'; jobId: string }
  | { of: 'scraper'; scraperId: string; workspace: string | null }

interface ViewColumn {
  name: string
  type: ColumnType
}

export interface RecordView {
  name: string
  subject: ViewSubject
  columns: ViewColumn[]
}

export interface RecordViews extends AsyncDisposable {
  /** Creates the view, or updates it to the current fields. Database roles keep their read access. */
  create(subject: ViewSubject, options?: { readers?: readonly string[] }): Promise<RecordView>
  list(): Promise<RecordView[]>
  /** False if the view does not exist. */
  drop(name: string): Promise<boolean>
}

/** Timeout of one statement. It is long, because finding the field types of a million records takes a while. */
const statementMs = 600_000

export async function openRecordViews(url: string): Promise<RecordViews> {
  const database = await Database.open({ url, connections: 2, statementMs })
  return {
    create: (subject, { readers = [] } = {}) =>
      database.transaction(queries => createView(queries, subject, readers)),
    list: () => listViews(database),
    drop: async name => {
      const known = (await listViews(database)).some(view => view.name === name)
      if (known) await database.script(`DROP VIEW ${quoted(name)}`)
      return known
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

type ColumnType = 'boolean' | 'bigint' | 'numeric' | 'text' | 'timestamptz' | 'date' | 'jsonb'

async function createView(
  queries: Queries,
  subject: ViewSubject,
  readers: readonly string[],
): Promise<RecordView> {
  const columns = await fieldsOf(queries, subject)
  if (columns.length === 0) throw nothingToShow(subject)
  const name = await nameFor(queries, subject)
  const before = await readersOf(queries, name)
  await dropOld(queries, name)
  await queries.script(`CREATE VIEW ${quoted(name)} AS ${selectOf(subject, columns)};
    COMMENT ON VIEW ${quoted(name)} IS ${literal(noteOf(subject))}; ${withoutCallers(quoted(name))}`)
  for (const reader of new Set([...before, ...readers]))
    await queries.script(`GRANT SELECT ON ${quoted(name)} TO ${quoted(reader)}`)
  return { name, subject, columns }
}

const nothingToShow = (subject: ViewSubject): Failure =>
  new Failure(
    'input.invalid',
    subject.of === 'job'
      ? `job ${subject.jobId} has no records, so its view would have no columns; create it when the job has records`
      : `no record was made by scraper ${subject.scraperId}${subject.workspace === null ? '' : ` in workspace ${subject.workspace}`}; \`kscrape scrapers\` lists the scrapers`,
  )

async function dropOld(queries: Queries, name: string): Promise<void> {
  try {
    await queries.script(`DROP VIEW IF EXISTS ${quoted(name)}`)
  } catch (cause) {
    if ((cause as { code?: string }).code !== '2BP01') throw cause
    throw new Failure(
      'input.invalid',
      `view ${name} cannot be replaced, because other objects of the database depend on it: drop them first`,
      { view: name },
      { cause },
    )
  }
}

const timePattern = '^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d(:?\\d\\d)?)$'
const datePattern = '^\\d{4}-\\d\\d-\\d\\d$'

/** The fields in the order in which records have them. Uses `json`, because `jsonb` does not keep that order. */
async function fieldsOf(queries: Queries, subject: ViewSubject): Promise<ViewColumn[]> {
  const rows = await queries.all<{ name: string; kinds: string[] }>(
    `SELECT f.key AS name, array_agg(DISTINCT ${kindSql}) AS kinds
     FROM records r JOIN jobs j ON j.job_no = r.job_no
     CROSS JOIN LATERAL json_each(r.data::json) WITH ORDINALITY AS f(key, value, place)
     WHERE ${conditionOf(subject)} AND json_typeof(r.data::json) = 'object'
     GROUP BY f.key ORDER BY min(f.place), f.key`,
  )
  return rows
    .filter(({ name }) => !reserved.has(name) && Buffer.byteLength(name) <= longestName)
    .slice(0, mostColumns)
    .map(({ name, kinds }) => ({ name, type: typeOf(kinds) }))
}

const kindSql = `CASE json_typeof(f.value)
  WHEN 'number' THEN CASE WHEN f.value::text ~ '^-?\\d{1,18}$' THEN 'integer' ELSE 'number' END
  WHEN 'string' THEN CASE WHEN f.value #>> '{}' ~ ${literal(timePattern)} THEN 'time'
    WHEN f.value #>> '{}' ~ ${literal(datePattern)} THEN 'date' ELSE 'text' END
  WHEN 'boolean' THEN 'boolean' WHEN 'null' THEN 'null' ELSE 'json' END`

const types: Record<string, ColumnType> = {
  ...{ boolean: 'boolean', integer: 'bigint', number: 'numeric', 'integer,number': 'numeric' },
  ...{ text: 'text', time: 'timestamptz', date: 'date', 'text,time': 'text', 'date,text': 'text' },
  ...{ 'date,text,time': 'text', 'date,time': 'timestamptz', '': 'text' },
}

/** The narrowest column type for all values of the field; `jsonb` if the values have different types. */
export const typeOf = (kinds: readonly string[]): ColumnType =>
  types[
    kinds
      .filter(kind => kind !== 'null')
      .sort()
      .join()
  ] ?? 'jsonb'

/** PostgreSQL's limits for names and columns. */
const longestName = 63
const mostColumns = 1_500

/** Columns about the page of a record. Exports call the same data `_page`. */
const pageColumns = `j.id AS _job_id, j.workspace AS _workspace, r.n AS _task, r.idx AS _index, t.item_id AS _item_id,
  t.url AS _url, r.final_url AS _final_url, t.host AS _host, r.status AS _status,
  to_timestamp(r.fetched_at / 1000.0) AS _fetched_at, r.scraper AS _scraper`
const reserved = new Set([...pageColumns.matchAll(/AS (_\w+)/g)].map(([, name]) => name).concat('_page'))

const selectOf = (subject: ViewSubject, columns: readonly ViewColumn[]): string =>
  `SELECT ${columns.map(columnSql).join(', ')}, ${pageColumns}
   FROM records r JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n ${parsedData}
   WHERE ${conditionOf(subject)}`

/** A value of another type becomes NULL, so that later records cannot fail a query. */
function columnSql({ name, type }: ViewColumn): string {
  const value = `d.data -> ${literal(name)}`
  const text = `d.data ->> ${literal(name)}`
  const guarded = {
    boolean: `CASE WHEN jsonb_typeof(${value}) = 'boolean' THEN (${value})::boolean END`,
    numeric: `CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value})::numeric END`,
    bigint: `CASE WHEN jsonb_typeof(${value}) = 'number' AND ${text} ~ '^-?\\d{1,18}$' THEN (${value})::bigint END`,
    timestamptz: `CASE WHEN jsonb_typeof(${value}) = 'string' THEN kscrape_time(${text}) END`,
    date: `CASE WHEN jsonb_typeof(${value}) = 'string' THEN kscrape_date(${text}) END`,
    text,
    jsonb: value,
  }[type]
  return `${guarded} AS ${quoted(name)}`
}

const conditionOf = (subject: ViewSubject): string =>
  subject.of === 'job'
    ? `r.job_no = (SELECT job_no FROM jobs WHERE id = ${literal(subject.jobId)})`
    : [
        `split_part(r.scraper, '@', 1) = ${literal(subject.scraperId)}`,
        ...(subject.workspace === null ? [] : [`j.workspace = ${literal(subject.workspace)}`]),
      ].join(' AND ')

/** The name of the view. If two names differ only in punctuation, the second gets a suffix. */
async function nameFor(queries: Queries, subject: ViewSubject): Promise<string> {
  const plain = plainName(subject)
  const taken = (await listViews(queries)).find(({ name }) => name === plain)
  if (!taken || noteOf(taken.subject) === noteOf(subject)) return plain
  const suffix = createHash('sha256').update(noteOf(subject)).digest('hex').slice(0, 8)
  return `${plain.slice(0, longestName - 9)}_${suffix}`
}

export function plainName(subject: ViewSubject): string {
  const words =
    subject.of === 'job'
      ? ['job', subject.jobId]
      : ['scraper', subject.scraperId, ...(subject.workspace === null ? [] : ['of', subject.workspace])]
  const name = words
    .join('_')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
  return `${viewPrefix}${name}`.slice(0, longestName)
}

const noteMark = 'kscrape view of '
const noteOf = (subject: ViewSubject): string =>
  noteMark +
  JSON.stringify(
    subject.of === 'job'
      ? { of: 'job', jobId: subject.jobId }
      : { of: 'scraper', scraperId: subject.scraperId, workspace: subject.workspace },
  )

async function listViews(queries: Queries): Promise<RecordView[]> {
  const rows = await queries.all<{ name: string; note: string; columns: ViewColumn[] }>(
    `SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS note,
       (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
     FROM pg_class c WHERE c.relkind = 'v' AND c.relnamespace = current_schema()::regnamespace
       AND starts_with(obj_description(c.oid, 'pg_class'), $1) ORDER BY c.relname`,
    noteMark,
  )
  return rows.map(({ name, note, columns }) => ({
    name,
    subject: JSON.parse(note.slice(noteMark.length)) as ViewSubject,
    columns: columns.filter(column => !reserved.has(column.name)).map(withShortType),
  }))
}

const withShortType = ({ name, type }: { name: string; type: string }): ViewColumn => ({
  name,
  type: (type === 'timestamp with time zone' ? 'timestamptz' : type) as ColumnType,
})

async function readersOf(queries: Queries, view: string): Promise<string[]> {
  const rows = await queries.all<{ grantee: string }>(
    `SELECT DISTINCT grantee FROM information_schema.role_table_grants
     WHERE table_schema = current_schema() AND table_name = $1 AND privilege_type = 'SELECT' AND grantee <> current_user
       AND grantee <> 'PUBLIC'`,
    view,
  )
  return rows.map(({ grantee }) => grantee)
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function literal(text: string): string {
  const inner = text.replaceAll("'", "''")
  return text.includes('\\') ? `E'${inner.replaceAll('\\', '\\\\')}'` : `'${inner}'`
}
