// Tables that several processes share: imports of data directories, and leaders of shards.

/** Progress of an import, so that an interrupted import can continue. There is one row per job and piece, as in
 *  `transfer-pieces.ts`. Pieces that belong to no job have an empty job id. */
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

/** The shard count that leaders use. A leader with another count is outdated. */
export const leaderShards = `
  ALTER TABLE leaders ADD COLUMN shards integer NOT NULL DEFAULT 1;
`
