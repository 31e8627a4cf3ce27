import type { CatalogPort } from '../../ports/catalog.ts'
import type { RandomPort } from '../../ports/system.ts'
import type { StoreCall } from './store/methods.ts'

/** Stacks over the embedded store; what makes something carries a token, so that its repetition is known. */
export function createCatalog(call: StoreCall, random: RandomPort): CatalogPort {
  return {
    createStack: (id, at) => call('catalog.createStack', { id, at, token: random.uuid() }),
    stack: async id => (await call('catalog.stack', { id })) ?? undefined,
    stacks: project => call('catalog.stacks', { project: project ?? null }),
    removeStack: id => call('catalog.removeStack', { id }),
    start: (id, about) => call('catalog.start', { id, about, token: random.uuid() }),
    publish: (id, expected, snapshot) => call('catalog.publish', { id, expected, snapshot }),
    release: async (deployment, end) => void (await call('catalog.release', { deployment, end })),
    history: (id, limit) => call('catalog.history', { id, limit }),
    versions: (id, limit) => call('catalog.versions', { id, limit }),
  }
}
