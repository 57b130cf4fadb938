// Tables of sinks, with the same SQL for every store.

/** `integer` is the integer type of the store, `counted` an auto-increment column. */
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
