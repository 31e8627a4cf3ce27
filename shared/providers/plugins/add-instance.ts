import type { Provider } from '../provider.ts'

/** Adds an instance to the set. The returned instance leaves the set after its `close`. */
export function addInstance(instances: Set<Provider>, provider: Provider): Provider {
  const instance: Provider = {
    ...provider,
    async close() {
      await provider.close()
      instances.delete(instance)
    },
  }
  instances.add(instance)
  return instance
}
