// Packages that only some installations need. They are optional peer dependencies; users install them on demand.
import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../model/failures.ts'

/** By feature: its name in messages, and the packages that it needs. The versions are those that the tests use. */
export const optionalFeatures = {
  cluster: {
    title: 'a cluster (PostgreSQL, Redis and S3)',
    packages: {
      pg: '8.23.1',
      redis: '6.3.1',
      '@aws-sdk/client-s3': '3.1164.0',
      '@aws-sdk/s3-request-presigner': '3.1162.0',
    },
  },
  sqs: { title: 'SCRAPER_SQS_QUEUE_URL', packages: { '@aws-sdk/client-sqs': '3.1164.0' } },
  dynamodb: { title: 'SCRAPER_DYNAMODB_TABLE', packages: { '@aws-sdk/client-dynamodb': '3.1162.0' } },
  mcp: { title: 'MCP', packages: { '@modelcontextprotocol/sdk': '1.32.2' } },
  pdf: { title: 'the text of PDFs', packages: { unpdf: '1.8.1' } },
  query: { title: 'kscrape query', packages: { '@duckdb/node-api': '1.5.6-r.1' } },
  traces: {
    title: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    packages: {
      '@opentelemetry/api': '1.10.0',
      '@opentelemetry/exporter-trace-otlp-http': '0.301.0',
      '@opentelemetry/resources': '3.1.1',
      '@opentelemetry/sdk-trace': '3.1.1',
    },
  },
} as const satisfies Record<string, { title: string; packages: Record<string, string> }>

type OptionalFeature = keyof typeof optionalFeatures

/** Loads modules of optional packages. If one is not installed, the failure contains the command that installs it. */
export async function loadFor<Module>(
  feature: OptionalFeature,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    throw isNotFound(error) ? missingPackages(feature, error) : error
  }
}

const isNotFound = (error: unknown): boolean =>
  ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((error as { code?: string }).code ?? '')

function missingPackages(feature: OptionalFeature, cause?: unknown): Failure {
  const { title, packages } = optionalFeatures[feature]
  const names = Object.keys(packages)
  const needed = names.length === 1 ? `the package ${names[0]}` : `the packages ${names.join(', ')}`
  const command = installCommand(feature)
  return new Failure(
    'feature.missing',
    `${title} needs ${needed}; install with: ${command}`,
    { packages: names, command },
    { cause },
  )
}

interface Place {
  /** A folder inside the installed program. Default: the folder of this file. */
  ownFolder?: string
  workingFolder?: string
}

/** The command that installs the packages into this installation of kscrape. It is valid in the working folder. */
export function installCommand(
  feature: OptionalFeature,
  { ownFolder = import.meta.dirname, workingFolder = process.cwd() }: Place = {},
): string {
  const wanted = Object.entries(optionalFeatures[feature].packages).map(
    ([name, version]) => `${name}@${version}`,
  )
  return ['npm', 'install', ...whereTo(ownFolder, workingFolder), ...wanted].join(' ')
}

function whereTo(ownFolder: string, workingFolder: string): string[] {
  const modules = modulesFolder(ownFolder)
  if (modules === null) return []
  const project = dirname(modules)
  if (basename(project) === 'lib' && !existsSync(join(project, 'package.json'))) return ['--global']
  return resolve(workingFolder) === project ? [] : ['--prefix', project]
}

/** The innermost `node_modules` folder that contains this folder. Null in a checkout. */
function modulesFolder(folder: string): string | null {
  if (basename(folder) === 'node_modules') return folder
  const above = dirname(folder)
  return above === folder ? null : modulesFolder(above)
}
