// Writes a Parquet file one row group at a time, to limit memory.
import { zstdCompressSync } from 'node:zlib'
import type { ParquetWriter } from 'hyparquet-writer'
import type { Sink } from './sink.ts'

/** A column with its type, as hyparquet-writer names it. Values of all columns may be null. */
export interface ParquetColumn {
  name: string
  type: 'BOOLEAN' | 'INT32' | 'INT64' | 'DOUBLE' | 'STRING' | 'JSON' | 'DATE' | 'TIMESTAMP' | 'BYTE_ARRAY'
  /** Values are lists of this type. */
  isList?: boolean
  /** True for large values that rarely repeat, so that no dictionary is built. */
  plain?: boolean
}

export class ParquetFile {
  readonly #writer: ParquetWriter
  readonly #columns: readonly ParquetColumn[]

  private constructor(writer: ParquetWriter, columns: readonly ParquetColumn[]) {
    this.#writer = writer
    this.#columns = columns
  }

  static async open(
    sink: Sink,
    columns: readonly ParquetColumn[],
    options: { statistics?: boolean; metadata?: Record<string, string> } = {},
  ): Promise<ParquetFile> {
    const { ParquetWriter } = await import('hyparquet-writer')
    const writer = new ParquetWriter({
      writer: await byteWriter(sink),
      schema: schemaOf(columns),
      codec: 'ZSTD',
      compressors: { ZSTD: zstdCompressSync },
      statistics: options.statistics ?? true,
      kvMetadata: Object.entries(options.metadata ?? {}).map(([key, value]) => ({ key, value })),
    })
    return new ParquetFile(writer, columns)
  }

  /** Writes one row group. `data` contains the values of each column. */
  async writeGroup(data: unknown[][]): Promise<void> {
    const columnData = this.#columns.map((column, index) => ({
      name: column.name,
      data: data[index]!,
      ...(column.plain ? { encoding: 'PLAIN' as const } : {}),
    }))
    await this.#writer.write({ columnData, rowGroupSize: Math.max(1, data[0]?.length ?? 0) })
  }

  async finish(): Promise<void> {
    await this.#writer.finish()
  }
}

// The library fills a buffer. After each row group the buffer is written to the sink and reused.
async function byteWriter(sink: Sink) {
  const { ByteWriter } = await import('hyparquet-writer')
  return new (class extends ByteWriter {
    async flush(): Promise<void> {
      await sink.write(this.getBytes())
      this.index = 0
    }
    override finish(): Promise<void> {
      return this.flush()
    }
  })()
}

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

function schemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)]
}

function elementsOf({ name, type, isList }: ParquetColumn): SchemaElement[] {
  if (!isList) return [{ name, repetition_type: 'OPTIONAL', ...types[type] }]
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...types[type] },
  ]
}

const types: Record<ParquetColumn['type'], Partial<SchemaElement>> = {
  BOOLEAN: { type: 'BOOLEAN' },
  INT32: { type: 'INT32' },
  INT64: { type: 'INT64' },
  DOUBLE: { type: 'DOUBLE' },
  STRING: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  JSON: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  DATE: { type: 'INT32', converted_type: 'DATE' },
  TIMESTAMP: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  BYTE_ARRAY: { type: 'BYTE_ARRAY' },
}
