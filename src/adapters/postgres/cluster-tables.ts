// Tables that only several processes need: what came from a data directory, who leads which shard.

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

/** Leaders know how many shards there are: one that was made for another number is of an older age. */
export const leaderShards = `
  ALTER TABLE leaders ADD COLUMN shards integer NOT NULL DEFAULT 1;
`
