// Failures of proxies. They contain the proxy's name and no address.
import { Failure } from '../../model/failures.ts'
import type { ProxyAddress } from './endpoint.ts'

/** The proxy itself failed. The task is retried with another proxy. */
export const proxyFailure = (
  { name }: Pick<ProxyAddress, 'name'>,
  code: 'proxy.refused' | 'proxy.failed',
  what: string,
): Failure => new Failure(code, `The proxy ${name} ${what}`, { proxy: name, blames: 'proxy' })

/** Either the proxy or the target behind it failed. */
export const doubtfulFailure = (
  { name }: Pick<ProxyAddress, 'name'>,
  code: 'connect.failed' | 'connect.refused',
  what: string,
): Failure => new Failure(code, `The proxy ${name} ${what}`, { proxy: name })

/** The proxy works and accepts us, but refuses this target. Another proxy may accept it. */
export const notThere = ({ name }: Pick<ProxyAddress, 'name'>, what: string): Failure =>
  new Failure('connect.failed', `The proxy ${name} ${what}`, { proxy: name, blames: 'rule' })

export const wrongPassword = (proxy: Pick<ProxyAddress, 'name'>): Failure =>
  proxyFailure(proxy, 'proxy.refused', 'refused the user name or password')
