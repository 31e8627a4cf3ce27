import { expect, test } from 'vitest'
import type { Json, StoredDeployment, StoredResource } from '../stored.ts'
import { applyStateEdit, digestOfResources } from './apply-edit.ts'

const names = { project: 'shop', stack: 'dev' }
const urn = (name: string, stack = 'dev'): string => `urn:pulumi:${stack}::shop::a:b:C::${name}`
const thing = (name: string, stack = 'dev'): StoredResource => ({
  urn: urn(name, stack),
  custom: true,
  id: `${name}-1`,
  type: 'a:b:C',
})
const stateOf = (
  resources: readonly StoredResource[],
  fields: Partial<StoredDeployment> = {},
): StoredDeployment => ({
  manifest: { time: '', magic: '', version: '' },
  resources,
  metadata: {},
  ...fields,
})
const managerOf = (salt: string): { type: string; state: Json } => ({
  type: 'passphrase',
  state: { salt },
})
const rollBack = (before: StoredDeployment, target: StoredDeployment, expected?: string) =>
  applyStateEdit(
    { kind: 'rollback', version: 1, ...(expected === undefined ? {} : { expected }) },
    { before, namedState: target, names },
  )

test('a rollback takes the resources of the version, and keeps current pending operations', () => {
  const pending = { resource: thing('p'), type: 'creating' }
  const target = stateOf([thing('a')], {
    pending_operations: [{ resource: thing('old'), type: 'creating' }],
    metadata: { integrity_error: { error: 'broken' } },
  })
  const edited = rollBack(stateOf([thing('b')], { pending_operations: [pending] }), target)
  expect(edited.state).toEqual(stateOf([thing('a')], { pending_operations: [pending] }))
  expect(edited.notices).toEqual([`the pending operation 'creating' of ${urn('p')} stays`])
})

test('a rollback is refused after another change, and for secrets of another key', () => {
  const before = stateOf([thing('b')], { secrets_providers: managerOf('v1:a') })
  const target = stateOf([thing('a')], { secrets_providers: managerOf('v1:b') })
  expect(() => rollBack(before, target)).toThrow('the secrets of version 1 have another key')
  const other = digestOfResources(stateOf([]))
  expect(() => rollBack(before, stateOf([]), other)).toThrow('changed concurrently')
  expect(rollBack(before, stateOf([]), digestOfResources(before)).count).toBe(0)
})

test('a version from before a rename of the stack gets the new name of the stack', () => {
  const edited = rollBack(stateOf([thing('b')]), stateOf([thing('a', 'old')]))
  expect(edited.state.resources).toEqual([thing('a')])
})

test('a version with the same key under an earlier name or URL keeps the current manager', () => {
  const serviceOf = (stack: string, url = 'https://antichain.example') => ({
    type: 'service',
    state: { url, owner: 'acme', project: 'shop', stack },
  })
  const cloudOf = (url: string, encryptedkey: string) => ({
    type: 'cloud',
    state: { url, encryptedkey },
  })
  const url = 'awskms://alias/x'
  for (const [manager, earlierManager] of [
    [serviceOf('dev'), serviceOf('old')],
    [cloudOf(`${url}?region=r`, 'k'), cloudOf(url, 'k')],
  ] as const) {
    const before = stateOf([thing('b')], { secrets_providers: manager })
    const target = stateOf([thing('a', 'old')], { secrets_providers: earlierManager })
    const { state } = rollBack(before, target)
    expect(state.secrets_providers).toEqual(manager)
    expect(state.resources).toEqual([thing('a')])
  }
  for (const [manager, earlierManager] of [
    [serviceOf('dev'), serviceOf('old', 'https://other.example')],
    [cloudOf(url, 'k'), cloudOf(url, 'other')],
  ] as const) {
    const before = stateOf([thing('b')], { secrets_providers: manager })
    const target = stateOf([thing('a', 'old')], { secrets_providers: earlierManager })
    expect(() => rollBack(before, target)).toThrow('have another key')
  }
})
