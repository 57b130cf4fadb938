// Copies the write-ahead log of a database into its file once, and ends. Started with the path of the database.
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

const database = new DatabaseSync(workerData as string)
database.exec('PRAGMA wal_checkpoint(PASSIVE)')
database.close()
