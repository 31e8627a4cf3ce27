import { describe, expect, test } from 'vitest'
import type { StoredResource } from '../state/stored.ts'
import { decodeEntry, encodeEntry, type JournalEntry } from './entry.ts'

const state: StoredResource = { urn: 'urn:pulumi:dev::shop::a:b:C::a', custom: true, type: 'a:b:C' }
const manifest = { time: 't', magic: '', version: '' }

const entries: readonly JournalEntry[] = [
  {
    kind: 'secrets-manager',
    sequence: 1,
    operation: 0,
    secretsProvider: { type: 'passphrase', state: { salt: 's' } },
  },
  {
    kind: 'write',
    sequence: 2,
    operation: 0,
    snapshot: { manifest, resources: [state], metadata: {} },
  },
  { kind: 'begin', sequence: 3, operation: 1, pending: { resource: state, type: 'creating' } },
  { kind: 'begin', sequence: 4, operation: 2 },
  {
    kind: 'success',
    sequence: 5,
    operation: 1,
    state,
    remove: { base: 0 },
    delete: { operation: 7 },
  },
  { kind: 'success', sequence: 6, operation: 2, pendingReplacement: { base: 0 }, isRefresh: true },
  { kind: 'failure', sequence: 7, operation: 3 },
  { kind: 'refresh-success', sequence: 8, operation: 4, remove: { operation: 1 }, isRefresh: true },
  {
    kind: 'outputs',
    sequence: 9,
    operation: 5,
    state,
    remove: { operation: 1 },
    requiresByteString: true,
  },
  { kind: 'rebuilt-base-state', sequence: 10, operation: 0 },
  {
    kind: 'extension-parameterize',
    sequence: 11,
    operation: 6,
    ref: 'r',
    extension: { name: 'n' },
  },
  { kind: 'snippets', sequence: 12, operation: 0, snippets: [{ uuid: 'u' }] },
]

describe("Pulumi's form of a journal entry", () => {
  test.each(entries)('survives encoding and decoding: $kind $sequence', entry => {
    expect(decodeEntry(JSON.parse(JSON.stringify(encodeEntry(entry))))).toEqual(entry)
  })

  test('has its fields in order, with null for absent `removeOld` and `removeNew`', () => {
    const [, , begin, , success] = entries
    if (begin === undefined || success === undefined) throw new Error('an entry is missing')
    expect(JSON.stringify(encodeEntry(begin))).toBe(
      `{"version":1,"kind":0,"sequenceID":3,"operationID":1,"removeOld":null,"removeNew":null,"operation":{"resource":${JSON.stringify(state)},"type":"creating"}}`,
    )
    expect(JSON.stringify(encodeEntry(success))).toBe(
      `{"version":1,"kind":1,"sequenceID":5,"operationID":1,"removeOld":0,"removeNew":null,"deleteNew":7,"state":${JSON.stringify(state)}}`,
    )
  })

  test.each([
    ['another version', { version: 2, kind: 0, sequenceID: 1, operationID: 1 }],
    ['an unknown kind', { version: 1, kind: 10, sequenceID: 1, operationID: 1 }],
    ['a negative position', { version: 1, kind: 1, sequenceID: 1, operationID: 1, removeOld: -1 }],
  ])('is refused with %s', (_what, json) => {
    expect(() => decodeEntry(json)).toThrow(/malformed/)
  })
})
