// Tables that only several processes need: what came from a data directory.

/** How far each piece of an embedded store has come, so that an import that was broken off goes on. Of the store as a whole: no job. */
export const imports = `
  CREATE TABLE imports (
    source text NOT NULL,
    job_id text NOT NULL,
    piece text NOT NULL,
    after text,
    rows bigint NOT NULL,
    done boolean NOT NULL,
    PRIMARY KEY (source, job_id, piece)
  );
`
