import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { hasCode } from '../../errors/error.ts'
import type { Json, StoredDeployment, StoredResource } from '../stored.ts'
import { applyStateEdit, digestOfResources } from './apply-edit.ts'
import type { EditedState, StateEdit } from './state-edit.ts'

const names = { project: 'shop', stack: 'dev' }
const hash = 'a'.repeat(64)
const urn = (name: string, stack = 'dev'): string => `urn:pulumi:${stack}::shop::a:b:C::${name}`
const thing = (name: string, fields: Record<string, Json> = {}): StoredResource => ({
  urn: urn(name),
  custom: true,
  id: `${name}-1`,
  type: 'a:b:C',
  ...fields,
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
const pendingCreate = (name: string, origin = {}) => ({
  resource: thing(name),
  type: 'creating',
  ...origin,
})
const apply = (
  edit: StateEdit,
  before: StoredDeployment,
  namedState?: StoredDeployment,
): EditedState => applyStateEdit(edit, { before, namedState, names })
const expectCode = (code: ErrorCode, work: () => unknown): void => {
  let thrown: unknown
  try {
    work()
  } catch (caught) {
    thrown = caught
  }
  expect([code, hasCode(thrown, code)]).toEqual([code, true])
}

const importEdit = (force = false): StateEdit => ({ kind: 'import', state: hash, force })

test('an edit of resources refuses a resource of another stack, unless the state already had it', () => {
  const before = stateOf([thing('a'), { ...thing('b'), urn: urn('b', 'prod') }])
  const edit = { kind: 'resources', state: hash, expected: digestOfResources(before) } as const
  const foreign = stateOf([{ ...thing('a'), urn: urn('a', 'other') }])
  expectCode('STATE_FOREIGN', () => apply(edit, before, foreign))
  const protectedForeign = stateOf([{ ...thing('b', { protect: true }), urn: urn('b', 'prod') }])
  expect(apply(edit, before, protectedForeign).count).toBe(1)
})

describe('an import', () => {
  test('replaces the state, and drops the pending operations of both states with a notice each', () => {
    const before = stateOf([thing('old')], { pending_operations: [pendingCreate('p')] })
    const brokenMetadata = { integrity_error: { error: 'broken' } }
    const imported = stateOf([thing('a')], {
      pending_operations: [pendingCreate('q')],
      metadata: brokenMetadata,
    })
    expect(apply(importEdit(), before, imported)).toEqual({
      state: stateOf([thing('a')]),
      count: 1,
      notices: [
        `the pending operation 'creating' of ${urn('q')} was removed`,
        `the pending operation 'creating' of ${urn('p')} was removed with the previous state`,
      ],
      dropped: [{ urn: urn('q'), type: 'creating' }],
    })
  })

  test('has a notice for each type of operation of one resource', () => {
    const update = { resource: thing('p'), type: 'updating' }
    const before = stateOf([], { pending_operations: [pendingCreate('p'), update] })
    const imported = stateOf([], { pending_operations: [pendingCreate('p')] })
    expect(apply(importEdit(), before, imported).notices).toEqual([
      `the pending operation 'creating' of ${urn('p')} was removed`,
      `the pending operation 'updating' of ${urn('p')} was removed with the previous state`,
    ])
  })

  test('of a foreign, invalid or empty state needs force, and a foreign or invalid one gets a notice', () => {
    const foreign = stateOf([{ ...thing('a'), urn: urn('a', 'prod') }])
    const invalid = stateOf([thing('a', { dependencies: [urn('b')] })])
    expectCode('STATE_FOREIGN', () => apply(importEdit(), stateOf([]), foreign))
    expectCode('STATE_INTEGRITY', () => apply(importEdit(), stateOf([]), invalid))
    expectCode('STACK_NOT_EMPTY', () => apply(importEdit(), stateOf([thing('a')]), stateOf([])))
    for (const state of [foreign, invalid])
      expect(apply(importEdit(true), stateOf([]), state).notices).toHaveLength(1)
    expect(apply(importEdit(true), stateOf([thing('a')]), stateOf([])).count).toBe(0)
  })

  test('of a state with a plaintext secret or an invalid URN is always refused', () => {
    // A fixed key with a fixed value marks a secret in Pulumi's format.
    const secret = (content: Record<string, Json>): Json => ({
      '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
      ...content,
    })
    const withSecret = (value: Json) => stateOf([thing('a', { inputs: { list: [{ value }] } })])
    const plain = withSecret(secret({ plaintext: '"hush"' }))
    const sealed = withSecret(secret({ ciphertext: 'v1:x' }))
    expectCode('STATE_INVALID', () => apply(importEdit(true), stateOf([]), plain))
    expectCode('STATE_INVALID', () =>
      apply(importEdit(true), stateOf([]), stateOf([{ ...thing('a'), urn: 'a' }])),
    )
    expect(apply(importEdit(), stateOf([]), sealed).state).toEqual(sealed)
  })
})

test('resources are replaced only if they are the expected ones, and pending operations stay', () => {
  const origin = { origin: { deployment: 'd', operation: 1, attempt: 1 } }
  const before = stateOf([thing('a')], { pending_operations: [pendingCreate('p', origin)] })
  const after = stateOf([thing('b')], { pending_operations: [pendingCreate('p')] })
  const edit = { kind: 'resources', state: hash, expected: digestOfResources(before) } as const
  expect(apply(edit, before, after).state).toEqual({ ...before, resources: [thing('b')] })
  expectCode('STORE_CONFLICT', () => apply(edit, after, after))
})

test('every other kind of edit applies its function, and counts the selected resources', () => {
  const before = stateOf([thing('a'), thing('b', { protect: true, dependencies: [urn('a')] })])
  const selection = { urns: [{ urn: urn('a') }], dependents: true }
  expect(apply({ kind: 'delete', ...selection, force: true }, before)).toMatchObject({
    state: { metadata: {} },
    count: 1,
    notices: [`deleting protected resource ${urn('b')} due to presence of --force`],
  })
  expectCode('STATE_RESOURCE_PROTECTED', () =>
    apply({ kind: 'delete', ...selection, force: false }, before),
  )
  expectCode('STATE_RESOURCE_NEEDED', () =>
    apply({ kind: 'delete', ...selection, dependents: false, force: true }, before),
  )
  const marked = apply({ kind: 'mark', urns: 'all', mark: 'taint', isSet: true }, before)
  expect([marked.count, marked.state.resources?.map(({ taint }) => taint)]).toEqual([
    2,
    [true, true],
  ])
  const renamed = apply({ kind: 'rename', urn: urn('a'), name: 'c' }, before)
  expect(renamed.state.resources?.[1]).toMatchObject({ dependencies: [urn('c')] })
  const reversed = stateOf((before.resources ?? []).toReversed())
  expect(apply({ kind: 'repair' }, reversed).state.resources).toEqual(before.resources)
  expect(apply({ kind: 'repair' }, before).state).toBe(before)
  const pending = stateOf([], { pending_operations: [pendingCreate('a')] })
  expect(apply({ kind: 'pending clear', urn: urn('a') }, pending).state).toEqual(stateOf([]))
  const found = apply({ kind: 'pending import', urn: urn('a'), id: 'x' }, pending).state
  expect(found.resources).toMatchObject([{ id: 'x', refreshBeforeUpdate: true }])
  expectCode('PENDING_NOT_FOUND', () => apply({ kind: 'pending clear', urn: urn('b') }, pending))
})

describe('a change of secrets', () => {
  const secretsEdit = (before: StoredDeployment): StateEdit => ({
    kind: 'secrets',
    state: hash,
    expected: digestOfResources(before),
  })
  const origin = { origin: { deployment: 'd', operation: 1 } }
  const before = stateOf([thing('a')], { pending_operations: [pendingCreate('p', origin)] })
  const resealed = (pending: readonly string[]): StoredDeployment => ({
    ...stateOf([thing('a', { inputs: { value: 'resealed' } })]),
    secrets_providers: { type: 'passphrase' },
    pending_operations: pending.map(name => pendingCreate(name)),
  })

  test('keeps the origins of pending operations', () => {
    const { state } = apply(secretsEdit(before), before, resealed(['p']))
    expect(state).toEqual({
      ...resealed(['p']),
      pending_operations: [pendingCreate('p', origin)],
    })
  })

  test('is refused for a state that was changed concurrently', () => {
    const changed = stateOf([thing('b')], { pending_operations: [pendingCreate('p', origin)] })
    expectCode('STORE_CONFLICT', () => apply(secretsEdit(before), changed, resealed(['p'])))
    for (const pending of [[], ['q'], ['p', 'q']])
      expectCode('STORE_CONFLICT', () => apply(secretsEdit(before), before, resealed(pending)))
  })
})

test('promote removes the snippet, and protects its resources only', () => {
  const snippets = [
    { uuid: 'u1', name: 'one' },
    { uuid: 'u2', name: 'two' },
  ]
  const resources = [
    thing('a', { snippetID: 'u1' }),
    thing('b', { snippetID: 'u2' }),
    thing('c', { snippetID: 'u1' }),
  ]
  const withOneSnippet = apply({ kind: 'promote', snippet: 'u1' }, stateOf(resources, { snippets }))
  expect(withOneSnippet.count).toBe(2)
  expect(withOneSnippet.state).toEqual(
    stateOf(
      [
        thing('a', { protect: true }),
        thing('b', { snippetID: 'u2' }),
        thing('c', { protect: true }),
      ],
      { snippets: [{ uuid: 'u2', name: 'two' }] },
    ),
  )
  const withoutSnippets = apply({ kind: 'promote', snippet: 'u2' }, withOneSnippet.state)
  expect('snippets' in withoutSnippets.state).toBe(false)
  expectCode('SNIPPET_UNKNOWN', () =>
    apply({ kind: 'promote', snippet: 'u1' }, withOneSnippet.state),
  )
})
