import { status } from '@grpc/grpc-js'
import { withTimeout } from '../../config/with-timeout.ts'
import { ProviderError } from '../provider-error.ts'
import type { Provider } from '../provider.ts'

/**
 * Returns the provider with a time limit for its calls about configurations, resources and
 * functions. After a call over the limit, the provider counts as ended, because the call may still
 * have an effect.
 */
export function limitCallTimes(provider: Provider, timeoutMs: number): Provider {
  let isStuck = false
  const limit =
    <Input, Output>(method: string, call: (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      const result = await withTimeout(
        call(input).then(output => ({ output })),
        timeoutMs,
      )
      if (result !== undefined) return result.output
      isStuck = true
      throw new ProviderError(
        `the provider did not return from ${method} within ${timeoutMs / 1000} s`,
        { status: 'lost', code: status.DEADLINE_EXCEEDED },
      )
    }
  return {
    ...provider,
    hasEnded: () => isStuck || provider.hasEnded(),
    checkConfig: limit('CheckConfig', provider.checkConfig),
    diffConfig: limit('DiffConfig', provider.diffConfig),
    configure: limit('Configure', provider.configure),
    check: limit('Check', provider.check),
    diff: limit('Diff', provider.diff),
    create: limit('Create', provider.create),
    read: limit('Read', provider.read),
    update: limit('Update', provider.update),
    delete: limit('Delete', provider.delete),
    invoke: limit('Invoke', provider.invoke),
  }
}
