// The settings of traces, under the variable names of OpenTelemetry.
import * as z from 'zod'
import { list, setting, whole } from './setting-kinds.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export const tracingSettings = {
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'The endpoint that receives traces, by OTLP over HTTP with JSON, like `http://tempo:4318`. Without it, kscrape makes no traces. See docs/tracing.md.',
    z.url({ protocol: /^https?$/, error: 'an address like http://127.0.0.1:4318' }).optional(),
  ),
  otlpHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers for the traces, comma-separated: `name=value,name=value`, values percent-encoded.',
    list.pipe(z.array(z.string().regex(/^[\w-]+=.*$/, 'written as name=value'))).default([]),
  ),
  serviceName: setting(
    'OTEL_SERVICE_NAME',
    'The name of this service in traces.',
    z.string().min(1).max(255).default('kscrape'),
  ),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    `Which traces are recorded: ${samplers.map(name => `\`${name}\``).join(', ')}. The last three follow the caller's \`traceparent\` if there is one.`,
    z.enum(samplers).default('parentbased_always_on'),
  ),
  tracesSamplerArg: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    'For samplers with a ratio: the share of recorded traces, from 0 to 1.',
    z.coerce.number().min(0).max(1).default(1),
  ),
  traceTasks: setting(
    'SCRAPER_TRACE_TASKS',
    'How many tasks of a traced job have spans: the first tasks up to this number, and then one task in a thousand. 0 means no task.',
    whole.min(0).default(500),
  ),
}
