// The tables of sinks: the same words on every backend.

/** `integer` is the backend's integer type, `counted` an auto-increment column. */
export const sinkTables = (integer: string, counted: string): string => `
  CREATE TABLE sinks (name TEXT PRIMARY KEY, seq ${integer} NOT NULL);
  CREATE TABLE dead_letters (
    place ${counted},
    sink TEXT NOT NULL,
    job_id TEXT NOT NULL,
    n ${integer} NOT NULL,
    idx ${integer} NOT NULL,
    seq ${integer} NOT NULL,
    reason TEXT NOT NULL,
    at ${integer} NOT NULL
  );
  CREATE INDEX dead_letters_of_sink ON dead_letters (sink, place);
`
