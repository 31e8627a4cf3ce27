import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import type { SecretsManager } from '../secrets/crypter.ts'
import { secretOf, type PropertyValue } from '../values/value.ts'
import { signatureKey, signatures } from '../values/wire-options.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
  envelopeOf,
  manifestOf,
  parseEnvelope,
  printEnvelope,
  recodeDeployment,
  resealDeployment,
} from './snapshot-codec.ts'
import { decodePlainSnapshot } from './snapshot.fixture.ts'
import { createResourceState } from './resource.ts'
import { emptySnapshot, type Snapshot } from './snapshot.ts'

const urn = 'urn:pulumi:dev::shop::a:b:C::a' as Urn

function managerOf(name: string): SecretsManager {
  return {
    type: 'passphrase',
    state: { salt: name },
    crypter: {
      encrypt: text => `${name}:${Buffer.from(text).toString('base64')}`,
      decrypt: text => {
        if (!text.startsWith(`${name}:`)) throw new Error(`not sealed by ${name}`)
        return Buffer.from(text.slice(name.length + 1), 'base64').toString()
      },
    },
    digest: text => text,
  }
}

function snapshotOf(...values: PropertyValue[]): Snapshot {
  const state = createResourceState({
    urn,
    type: 'a:b:C',
    custom: true,
    inputs: new Map([['v', values]]),
  })
  return {
    ...emptySnapshot,
    manifest: manifestOf('v3.260.0', '2026-01-01T00:00:00Z'),
    resources: [state],
    pendingOperations: [{ resource: state, type: 'updating' }],
  }
}

test('the magic of a version is its hash, and empty without a version', () => {
  expect(manifestOf('v3.260.0', '').magic).toBe(
    '7dff0d166258e7f1d265e8e044021ea087795d58a0c6415ab6fe8b7c790e447f',
  )
  expect(manifestOf('', '').magic).toBe('')
})

test('fields that this version of Antichain does not know survive every conversion of a state', async () => {
  const a = managerOf('a')
  const resource = { urn, custom: true, id: 'x', type: 'a:b:C', inputs: { v: 1 }, later: [1] }
  const text = JSON.stringify({
    version: 3,
    deployment: {
      manifest: { time: '2026-01-01T00:00:00Z', magic: '', version: '', later: 2 },
      secrets_providers: { type: 'passphrase', state: { salt: 'a' } },
      resources: [resource],
      metadata: { later: { x: 3 } },
      later: 4,
    },
    later: 5,
  })
  const { deployment } = await parseEnvelope(text)
  if (deployment === null) throw new Error('no deployment')
  for (const mode of ['kept', 'sealed'] as const) {
    const recoded = await recodeDeployment(deployment, a, { manager: a, mode })
    expect(recoded).toEqual(deployment)
    expect(recoded).toMatchObject({
      resources: [resource],
      metadata: { later: { x: 3 } },
      later: 4,
    })
  }
  const resealed = resealDeployment(deployment, a.crypter.decrypt, managerOf('b'))
  expect(resealed).toMatchObject({ resources: [resource], later: 4 })
  for (const state of [deployment, resealed]) {
    const printed = await printEnvelope(await envelopeOf(state))
    expect(JSON.parse(printed)).toMatchObject({ deployment: { later: 4 }, later: 5 })
    expect(await printEnvelope(await parseEnvelope(printed))).toBe(printed)
  }
})

test('pending operations that are encoded again keep origins, unknown fields and null lists', async () => {
  const [a, b] = [managerOf('a'), managerOf('b')]
  const resource = {
    ...{ urn, custom: true, type: 'a:b:C', inputs: { v: 1 } },
    ...{ propertyDependencies: { v: null }, later: [1] },
  }
  const origin = { deployment: 'shop/dev/1', operation: 3, attempt: 1 }
  const pending = [
    { resource, type: 'updating' },
    { resource, type: 'creating', origin },
  ]
  const stored = {
    ...(await encodeSnapshot(emptySnapshot, a, 'kept')),
    pending_operations: pending,
  }
  for (const mode of ['kept', 'sealed'] as const) {
    const recoded = await recodeDeployment(stored, a, { manager: b, mode })
    expect(recoded.pending_operations).toEqual(pending)
  }
})

test('the error of a malformed value names its resource, and the error of a decryption is kept', async () => {
  const text = (value: string) =>
    `{"version":3,"deployment":{"resources":[{"urn":"${urn}","custom":true,"type":"a:b:C","inputs":{"v":${value}}}]}}`
  const secret = `{"${signatureKey}":"${signatures.secret}","ciphertext":"other:x"}`
  for (const [value, message] of [
    [`{"${signatureKey}":"x"}`, `the resource ${urn} is malformed: a value in the state has the`],
    [secret, 'not sealed by a'],
  ] as const) {
    const { deployment } = await parseEnvelope(text(value))
    if (deployment === null) throw new Error('no deployment')
    await expect(decodeSnapshot(deployment, managerOf('a'))).rejects.toThrow(message)
  }
})

describe('the stored form of a snapshot', () => {
  test('decodes to the same snapshot', async () => {
    const a = managerOf('a')
    const snapshot = snapshotOf(secretOf(new Map([['x', secretOf(1)]])), 'open')
    const stored = await encodeSnapshot(snapshot, a, 'sealed')
    expect(Object.keys(stored)).toEqual([
      'manifest',
      'secrets_providers',
      'resources',
      'pending_operations',
      'metadata',
    ])
    expect(JSON.stringify(stored)).not.toContain('plaintext')
    expect(await decodePlainSnapshot(stored, a)).toEqual(snapshot)
  })

  test('may contain plaintext secrets', async () => {
    const stored = await encodeSnapshot(snapshotOf(secretOf('hush')), managerOf('a'), 'plaintext')
    expect(JSON.stringify(stored)).toContain('"plaintext":"\\"hush\\""')
    expect(stored.secrets_providers?.type).toBe('passphrase')
  })

  test('keeps an integrity error', async () => {
    const snapshot = { ...snapshotOf(), integrityError: { version: '3', error: 'broken' } }
    const stored = await encodeSnapshot(snapshot, managerOf('a'), 'sealed')
    expect(stored.metadata).toEqual({ integrity_error: snapshot.integrityError })
    expect((await decodeSnapshot(stored, managerOf('a'))).integrityError).toEqual(
      snapshot.integrityError,
    )
  })

  test.each(['sealed', 'plaintext'] as const)(
    'in the mode %s can be encrypted by another manager',
    async mode => {
      const [a, b] = [managerOf('a'), managerOf('b')]
      const snapshot = snapshotOf(secretOf([secretOf('deep')]), new Map([['in', secretOf(2)]]))
      const stored = await encodeSnapshot(snapshot, a, mode)
      const resealed = resealDeployment(stored, a.crypter.decrypt, b)
      expect(resealed.secrets_providers).toEqual({ type: 'passphrase', state: { salt: 'b' } })
      expect(resealed).toEqual(await encodeSnapshot(snapshot, b, 'sealed'))
      expect(await decodePlainSnapshot(resealed, b)).toEqual(snapshot)
    },
  )
})

test('a snapshot that is decoded and encoded in the mode kept has the same ciphertexts', async () => {
  const manager = managerOf('a')
  const snapshot = snapshotOf(secretOf([secretOf('deep')]), new Map([['in', secretOf(2)]]))
  let nonce = 0
  const encrypt = (plaintext: string): string =>
    manager.crypter.encrypt(plaintext).replace(/$/, `#${++nonce}`)
  const decrypt = (ciphertext: string): string =>
    manager.crypter.decrypt(ciphertext.replace(/#\d+$/, ''))
  const numberingManager = { ...manager, crypter: { ...manager.crypter, encrypt, decrypt } }
  const stored = await encodeSnapshot(snapshot, numberingManager, 'sealed')
  const decoded = await decodeSnapshot(stored, numberingManager)
  expect(await encodeSnapshot(decoded, numberingManager, 'kept')).toEqual(stored)
  expect(await encodeSnapshot(decoded, numberingManager, 'sealed')).not.toEqual(stored)
})

describe('the envelope of a deployment', () => {
  test('has version 3 without features', async () => {
    const stored = await encodeSnapshot(snapshotOf('x'), managerOf('a'), 'sealed')
    expect(await envelopeOf(stored)).toEqual({ version: 3, deployment: stored })
  })

  test('has version 4 with its features in order', async () => {
    const snapshot = snapshotOf()
    const state = createResourceState({
      urn,
      type: 'a:b:C',
      custom: true,
      taint: true,
      refreshBeforeUpdate: true,
      viewOf: urn,
      replaceWith: [urn],
      resourceHooks: new Map([['OnError', ['h']]]),
      extensionRef: 'e',
      snippetID: 's',
    })
    const stored = await encodeSnapshot(
      { ...snapshot, resources: [state] },
      managerOf('a'),
      'sealed',
    )
    expect(await envelopeOf(stored)).toMatchObject({
      version: 4,
      features: [
        'extensionParameterization',
        'hooks',
        'refreshBeforeUpdate',
        'replaceWith',
        'snippets-prototype',
        'taint',
        'views',
      ],
    })
  })

  test('detects byte strings inside secrets', async () => {
    const snapshot = snapshotOf(secretOf({ kind: 'bytes', base64: '/w==' }))
    const envelope = await envelopeOf(await encodeSnapshot(snapshot, managerOf('a'), 'sealed'))
    expect(envelope.features).toEqual(['byteString'])
    expect(envelope.deployment?.metadata).toEqual({})
  })
})
