// What went wrong at a proxy, told by its name alone.
import { Failure } from '../../model/failures.ts'
import type { ProxyAddress } from './endpoint.ts'

/** It is the proxy that is at fault, whatever it was asked for: another one is taken. */
export const proxyFailure = (
  { name }: Pick<ProxyAddress, 'name'>,
  code: 'proxy.refused' | 'proxy.failed',
  what: string,
): Failure => new Failure(code, `The proxy ${name} ${what}`, { proxy: name, blames: 'proxy' })

/** It may be the proxy, and it may be what lies behind it. */
export const doubtfulFailure = (
  { name }: Pick<ProxyAddress, 'name'>,
  code: 'connect.failed' | 'connect.refused',
  what: string,
): Failure => new Failure(code, `The proxy ${name} ${what}`, { proxy: name })

/** It is well, knows us, and will not go there: another one may. */
export const notThere = ({ name }: Pick<ProxyAddress, 'name'>, what: string): Failure =>
  new Failure('connect.failed', `The proxy ${name} ${what}`, { proxy: name, blames: 'rule' })

export const wrongPassword = (proxy: Pick<ProxyAddress, 'name'>): Failure =>
  proxyFailure(proxy, 'proxy.refused', 'does not know the user or the password it was given')
