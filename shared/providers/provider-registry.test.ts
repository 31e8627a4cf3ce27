import { expect, test } from 'vitest'
import { createError } from '../errors/error.ts'
import { urnOf } from '../names/urn.ts'
import { emptyMap } from '../values/value.ts'
import { createProviderRegistry } from './provider-registry.ts'
import type { PluginHost, Provider } from './provider.ts'

const urn = urnOf({ stack: 's', project: 'p', qualifiedType: 'pulumi:providers:odd', name: 'n' })

test('an instance is ended even if the load of its replacement fails', async () => {
  const closes: string[] = []
  const createInstance = (name: string) =>
    ({
      configure: async () => undefined,
      close: async () => void closes.push(name),
    }) as unknown as Provider
  const failure = createError('PLUGIN_FAILED', 'no memory')
  const loads = [async () => createInstance('first'), () => Promise.reject(failure)]
  const host = { load: () => loads.shift()?.() } as unknown as PluginHost
  const registry = createProviderRegistry({
    host,
    configOf: () => ({}),
    stateOf: () => undefined,
    extensionOf: () => undefined,
    beforeRetry: async () => undefined,
  })
  await registry.configure(urn, 'id', emptyMap)
  expect(closes).toEqual([])
  await expect(registry.configure(urn, 'id', emptyMap)).rejects.toBe(failure)
  expect(closes).toEqual(['first'])
})
