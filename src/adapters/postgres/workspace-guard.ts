// Row-level security: a query for one workspace sees only its rows, even if the query has no condition.

/** The role of API processes, to which the row-level policies apply. It cannot log in. The tables belong to another role
 *  without policies, so workers have no overhead. */
export const guardedRole = 'kscrape_guarded'

/** The workspace of internal queries, which see all rows. */
export const allWorkspaces = '*'

/** PostgreSQL setting with the workspace id. Every row-level security policy compares rows with it. If the setting is missing,
 *  queries return no rows. */
export const workspaceSetting = 'kscrape.workspace'

const own = `current_setting('${workspaceSetting}', true)`

/** Tables with their own workspace column. */
const ofWorkspace = ['jobs', 'idempotency_keys', 'api_keys', 'webhooks', 'schedules', 'uploads']

/** Tables whose rows belong to a row of another table, with the condition for it. */
const belonging: Record<string, string> = {
  ...Object.fromEntries(
    [
      ...['job_counts', 'tasks', 'seen', 'attempts', 'records', 'rejected', 'outputs', 'answers'],
      ...['reextractions', 'failed_tasks', 'conduct_notes'],
    ].map(table => [table, `SELECT 1 FROM jobs j WHERE j.job_no = ${table}.job_no`]),
  ),
  requests: 'SELECT 1 FROM jobs j WHERE j.id = requests.job_id',
  dead_letters: 'SELECT 1 FROM jobs j WHERE j.id = dead_letters.job_id',
  webhook_attempts: 'SELECT 1 FROM webhooks w WHERE w.no = webhook_attempts.webhook_no',
  schedule_runs: 'SELECT 1 FROM schedules s WHERE s.id = schedule_runs.schedule_id',
}

/** The row-level policy of a table with job data. Later migrations use it for new tables. */
export const guardOfJob = (table: string): string =>
  policy(table, `EXISTS (SELECT 1 FROM jobs j WHERE j.job_no = ${table}.job_no)`)

const policy = (table: string, condition: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_workspace ON ${table} USING (${own} = '${allWorkspaces}' OR ${condition});`

/** Creates the role. If the table owner lacks the right to create roles, this prints a notice and changes nothing. */
const role = `
  DO $$
  DECLARE place text := current_schema();
  BEGIN
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${guardedRole}') THEN
        CREATE ROLE ${guardedRole} NOLOGIN;
      END IF;
      IF NOT pg_has_role(current_user, '${guardedRole}', 'MEMBER') THEN
        EXECUTE format('GRANT ${guardedRole} TO %I', current_user);
      END IF;
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE NOTICE 'the role ${guardedRole} could not be made: docs/security.md says how';
        RETURN;
    END;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO ${guardedRole}', place);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO ${guardedRole}', place);
    EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO ${guardedRole}', place);
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${guardedRole}', place);
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT USAGE, SELECT ON SEQUENCES TO ${guardedRole}', place);
  END $$;
`

export const workspaceGuard = [
  role,
  ...ofWorkspace.map(table => policy(table, `workspace = ${own}`)),
  ...Object.entries(belonging).map(([table, row]) => policy(table, `EXISTS (${row})`)),
].join('\n')
