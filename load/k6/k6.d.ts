// As much of k6's modules as our script names, so that its types are checked where k6 is not installed.
declare module 'k6' {
  export function check<Value>(value: Value, checks: Record<string, (value: Value) => boolean>): boolean
  export function fail(message: string): never
  export function sleep(seconds: number): void
}

declare module 'k6/http' {
  export interface Response {
    status: number
    json(selector?: string): unknown
  }
  export interface Params {
    headers?: Record<string, string>
    tags?: Record<string, string>
    timeout?: string
  }
  const http: {
    get(url: string, params?: Params): Response
    post(url: string, body: string, params?: Params): Response
    put(url: string, body: string, params?: Params): Response
  }
  export default http
}

declare module 'k6/execution' {
  const exec: { scenario: { iterationInTest: number } }
  export default exec
}

declare module 'k6/options' {
  interface Stage {
    duration: string
    target: number
  }
  export interface Options {
    discardResponseBodies?: boolean
    scenarios?: Record<
      string,
      {
        executor: 'ramping-arrival-rate'
        exec?: string
        startRate: number
        timeUnit: '1s'
        preAllocatedVUs: number
        maxVUs: number
        stages: Stage[]
      }
    >
    thresholds?: Record<string, string[]>
  }
}

/** What was set with `k6 run --env NAME=value`. */
declare const __ENV: Record<string, string | undefined>
