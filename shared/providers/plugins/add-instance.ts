import type { Provider } from '../provider.ts'

/** Adds an instance, which leaves the set when it has ended. */
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
