import { expect, test } from 'vitest'
import type { ObjectStorePort } from '../ports/objects.ts'
import { openBackend } from './open-backend.ts'

/** Opens an empty backend. Returns its layout and the keys of its objects. */
async function openEmptyBackend(env: Readonly<Record<string, string>>) {
  const keys: string[] = []
  const store = {
    get: async () => undefined,
    list: async () => [],
    put: async (key: string) => void keys.push(key),
  } as unknown as ObjectStorePort
  const { layout } = await openBackend(store, env)
  return { layout, keys }
}

test.each([
  [{}, 'project', ['.pulumi/meta.yaml']],
  [{ PULUMI_DIY_BACKEND_LEGACY_LAYOUT: 'True' }, 'legacy', []],
  [{ PULUMI_SELF_MANAGED_STATE_LEGACY_LAYOUT: '1' }, 'legacy', []],
] as const)('a new backend with the variables %o has the layout %s', async (env, layout, keys) => {
  expect(await openEmptyBackend(env)).toEqual({ layout, keys })
})
