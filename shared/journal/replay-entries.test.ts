import { describe, expect, test } from 'vitest'
import { featuresOf } from '../state/features.ts'
import {
  envelopeFieldsKey,
  type Json,
  type StoredDeployment,
  type StoredResource,
} from '../state/stored.ts'
import type { EntryContent, JournalEntry } from './entry.ts'
import { replayEntries } from './replay-entries.ts'

const urnOf = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`
const resource = (
  name: string,
  fields: { readonly [field: string]: Json } = {},
): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  type: 'a:b:C',
  ...fields,
})

const options = { baseFeatures: [], now: '2026-01-01T00:00:00Z', version: 'v3.260.0' }

function baseOf(...resources: StoredResource[]): StoredDeployment {
  return { manifest: { time: '', magic: '', version: '' }, resources, metadata: {} }
}

/** Creates entries in sequence from [operation, content] pairs. */
function createEntries(...contents: readonly [number, EntryContent][]): readonly JournalEntry[] {
  return contents.map(([operation, content], index) => ({
    ...content,
    operation,
    sequence: index + 1,
  }))
}

const [a, b, c] = [resource('A'), resource('B'), resource('C')]
const pendingCreateOf = (state: StoredResource) => ({ resource: state, type: 'creating' })

describe('replay', () => {
  test('unknown fields of the deployment and its envelope stay', () => {
    const base = { ...baseOf(a), later: 1, [envelopeFieldsKey]: { later: 2 } }
    const entries = createEntries([1, { kind: 'success', state: b }])
    const result = replayEntries(base, entries, options)
    expect(result.resources?.map(({ urn }) => urn)).toEqual([b.urn, a.urn])
    expect(result).toMatchObject({ later: 1, [envelopeFieldsKey]: { later: 2 } })
  })

  test('new and changed states come first, and marked states stay in place', () => {
    const [a2, d] = [resource('A', { id: '2' }), resource('D')]
    const result = replayEntries(
      baseOf(a, b, c),
      createEntries(
        [1, { kind: 'begin' }],
        [1, { kind: 'success', state: a2, remove: { base: 0 } }],
        [2, { kind: 'begin', pending: pendingCreateOf(d) }],
        [2, { kind: 'success', state: d, delete: { base: 1 } }],
      ),
      options,
    )
    expect(result.resources).toEqual([a2, d, { ...b, delete: true }, c])
    expect(Object.keys(result.resources?.[2] ?? {})).toEqual(['urn', 'custom', 'delete', 'type'])
    expect(result.pending_operations).toBeUndefined()
    // The magic is the SHA-256 of the version.
    expect(result.manifest.magic).toMatch(/^7dff0d16/)
  })

  test('after a rebuild of the base, positions refer to the new base', () => {
    const dependent = resource('C', { dependencies: [a.urn, b.urn] })
    const again = resource('C', { id: '2' })
    const before = createEntries([1, { kind: 'refresh-success', remove: { base: 1 } }])
    expect(replayEntries(baseOf(a, b, dependent), before, options).resources).toEqual([
      a,
      resource('C', { dependencies: [a.urn] }),
    ])
    const result = replayEntries(
      baseOf(a, b, dependent),
      createEntries(
        [1, { kind: 'refresh-success', remove: { base: 1 } }],
        [0, { kind: 'rebuilt-base-state' }],
        [2, { kind: 'success', state: again, remove: { base: 1 } }],
      ),
      options,
    )
    expect(result.resources).toEqual([again, a])
  })

  test('a create without an end is pending, and stays pending in the next deployment', () => {
    const [x, y] = [resource('X'), resource('Y')]
    const first = replayEntries(
      baseOf(),
      createEntries([1, { kind: 'begin', pending: pendingCreateOf(x) }]),
      options,
    )
    expect(first.pending_operations).toEqual([pendingCreateOf(x)])
    const second = replayEntries(
      { ...first, pending_operations: [pendingCreateOf(x), { resource: a, type: 'updating' }] },
      createEntries([1, { kind: 'begin', pending: pendingCreateOf(y) }]),
      options,
    )
    expect(second.pending_operations).toEqual([pendingCreateOf(y), pendingCreateOf(x)])
  })

  test('a failure closes its operation and changes nothing', () => {
    const entries = createEntries(
      [1, { kind: 'begin', pending: pendingCreateOf(a) }],
      [1, { kind: 'failure' }],
    )
    const result = replayEntries(baseOf(b), entries, options)
    expect(result.pending_operations).toBeUndefined()
    expect(result.resources).toEqual([b])
  })

  test('a state of this deployment can be removed, marked, and given outputs', () => {
    const createSuccess = (name: string): EntryContent => ({
      kind: 'success',
      state: resource(name),
    })
    const result = replayEntries(
      baseOf(),
      createEntries(
        [1, createSuccess('A')],
        [2, createSuccess('B')],
        [3, createSuccess('C')],
        [4, createSuccess('D')],
        [5, { kind: 'success', remove: { operation: 1 } }],
        [6, { kind: 'success', delete: { operation: 2 } }],
        [7, { kind: 'success', pendingReplacement: { operation: 3 } }],
        [
          8,
          {
            kind: 'outputs',
            state: resource('D', { outputs: { x: 1 } }),
            remove: { operation: 4 },
          },
        ],
      ),
      options,
    )
    expect(result.resources).toEqual([
      resource('B', { delete: true }),
      resource('C', { pendingReplacement: true }),
      resource('D', { outputs: { x: 1 } }),
    ])
  })

  test('a state of the base keeps its place when only its outputs change', () => {
    const withOutputs = resource('A', { outputs: { x: 1 } })
    const result = replayEntries(
      baseOf(b, a, c),
      createEntries([1, { kind: 'outputs', state: withOutputs, remove: { base: 1 } }]),
      options,
    )
    expect(result.resources).toEqual([b, withOutputs, c])
  })

  test('the removal of a state takes precedence over its marks and outputs', () => {
    const result = replayEntries(
      baseOf(a, b),
      createEntries(
        [1, { kind: 'success', pendingReplacement: { base: 0 } }],
        [2, { kind: 'outputs', state: resource('A', { id: 'x' }), remove: { base: 0 } }],
        [3, { kind: 'success', remove: { base: 0 } }],
      ),
      options,
    )
    expect(result.resources).toEqual([b])
  })

  test.each<[string, EntryContent]>([
    ['removes', { kind: 'success', remove: { operation: 9 } }],
    ['marks', { kind: 'success', delete: { operation: 9 } }],
    ['replaces', { kind: 'refresh-success', state: a, remove: { operation: 9 } }],
    ['removes from the base', { kind: 'success', remove: { base: 1 } }],
  ])('an entry that %s an absent state is an integrity error', (_what, content) => {
    expect(() => replayEntries(baseOf(a), createEntries([1, content]), options)).toThrow(
      /the journal names/,
    )
  })

  test('a rebuild of the base after added states is an integrity error, unless it is the last entry', () => {
    const success: [number, EntryContent] = [1, { kind: 'success', state: a }]
    const rebuilt: [number, EntryContent] = [0, { kind: 'rebuilt-base-state' }]
    expect(replayEntries(baseOf(), createEntries(success, rebuilt), options).resources).toEqual([a])
    expect(() =>
      replayEntries(baseOf(), createEntries(success, rebuilt, [2, { kind: 'begin' }]), options),
    ).toThrow(/rebuilds its base/)
  })

  test('a rewritten base keeps the secrets manager that the journal named before', () => {
    const secretsProvider = { type: 'passphrase', state: { salt: 's' } }
    const result = replayEntries(
      baseOf(),
      createEntries(
        [0, { kind: 'secrets-manager', secretsProvider }],
        [0, { kind: 'write', snapshot: baseOf(a) }],
        [1, { kind: 'success', remove: { base: 0 } }],
      ),
      options,
    )
    expect(result.secrets_providers).toEqual(secretsProvider)
    expect(result.resources).toBeUndefined()
  })

  test('byte strings are a feature of the result if the base has it or an entry requires it', () => {
    expect(
      featuresOf(replayEntries(baseOf(a), [], { ...options, baseFeatures: ['byteString'] })),
    ).toEqual(['byteString'])
    const [begin] = createEntries([1, { kind: 'begin' }])
    if (begin === undefined) throw new Error('no entry')
    expect(
      featuresOf(replayEntries(baseOf(a), [{ ...begin, requiresByteString: true }], options)),
    ).toEqual(['byteString'])
  })

  test('extensions and snippets are added, and extensions of the base stay unchanged', () => {
    const result = replayEntries(
      { ...baseOf(), extensions: { r: { name: 'base' } } },
      createEntries(
        [1, { kind: 'extension-parameterize', ref: 'r', extension: { name: 'new' } }],
        [2, { kind: 'extension-parameterize', ref: 's', extension: { name: 's' } }],
        [0, { kind: 'snippets', snippets: [{ uuid: 'u' }] }],
      ),
      options,
    )
    expect(result.extensions).toEqual({ r: { name: 'base' }, s: { name: 's' } })
    expect(result.snippets).toEqual([{ uuid: 'u' }])
  })

  test('base and entries are not modified, and the order and number of entries do not matter', () => {
    const base = baseOf(a, b)
    const entries = createEntries(
      [1, { kind: 'success', state: c, delete: { base: 0 } }],
      [2, { kind: 'success', delete: { operation: 1 } }],
    )
    const before = JSON.stringify([base, entries])
    replayEntries(base, entries, options)
    expect(JSON.stringify([base, entries])).toBe(before)
    expect(replayEntries(base, [...entries].reverse().concat(entries), options)).toEqual(
      replayEntries(base, entries, options),
    )
  })
})
