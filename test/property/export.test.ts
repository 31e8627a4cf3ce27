import fc from 'fast-check'
import { expect, test } from 'vitest'
import { providerReferenceOf } from '../../shared/names/provider-reference.ts'
import type { Urn } from '../../shared/names/urn.ts'
import {
  createKeyedDigest,
  createSymmetricCrypter,
} from '../../shared/secrets/symmetric-crypter.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import {
  encodeSnapshot,
  envelopeOf,
  manifestOf,
  parseEnvelope,
  printEnvelope,
} from '../../shared/state/snapshot-codec.ts'
import { createResourceState, type ResourceState } from '../../shared/state/resource.ts'
import { emptySnapshot, type Snapshot } from '../../shared/state/snapshot.ts'
import { decodePlainSnapshot } from '../../shared/state/snapshot.fixture.ts'
import { verifyExport } from '../verifier/verify.ts'
import { caseCountFactor } from './configure-properties.ts'
import { maps, values } from './values.fixture.ts'

const key = Buffer.alloc(32, 7)
const crypter = createSymmetricCrypter(key)
const manager: SecretsManager = {
  type: 'passphrase',
  state: { salt: `v1:AAAAAAAAAAA=:${crypter.encrypt('pulumi')}` },
  crypter,
  digest: createKeyedDigest(key),
}

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const provider = createResourceState({
  urn: 'urn:pulumi:dev::shop::pulumi:providers:a::default' as Urn,
  type: 'pulumi:providers:a',
  custom: true,
  id: 'p',
})

const texts = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 2 })

function arbitraryResourceAt(index: number): fc.Arbitrary<ResourceState> {
  const earlierUrns = fc
    .uniqueArray(fc.nat({ max: Math.max(index - 1, 0) }), { maxLength: index })
    .map(indexes => indexes.map(index => urnOf(`r${index}`)))
  return fc
    .record({
      inputs: maps,
      outputs: maps,
      replacementTrigger: values,
      protect: fc.boolean(),
      taint: fc.boolean(),
      retainOnDelete: fc.boolean(),
      refreshBeforeUpdate: fc.boolean(),
      dependencies: earlierUrns,
      replaceWith: earlierUrns,
      propertyDependencies: earlierUrns.map(
        urns =>
          new Map([
            ['9', urns],
            ['10', []],
          ]),
      ),
      initErrors: texts,
      ignoreChanges: texts,
      additionalSecretOutputs: texts,
      customTimeouts: fc.constantFrom({}, { create: 1.5, delete: 60 }),
      resourceHooks: fc.constantFrom(new Map(), new Map([['AfterCreate', ['h']]])),
      created: fc.constantFrom('', '2026-01-02T03:04:05.12Z'),
      stackTrace: fc.constantFrom([], [{}, { sourcePosition: 'project:///index.ts#1,2' }]),
    })
    .map(fields =>
      createResourceState({
        ...fields,
        urn: urnOf(`r${index}`),
        type: 'a:b:C',
        custom: true,
        id: `i${index}`,
        provider: providerReferenceOf(provider.urn, 'p'),
      }),
    )
}

const snapshots: fc.Arbitrary<Snapshot> = fc
  .integer({ min: 0, max: 3 })
  .chain(count =>
    fc.tuple(...Array.from({ length: count }, (_, index) => arbitraryResourceAt(index))),
  )
  .map(resources => ({
    ...emptySnapshot,
    manifest: manifestOf('v3.260.0', '2026-01-02T03:04:05Z'),
    resources: [provider, ...resources],
    pendingOperations: resources.slice(0, 1).map(resource => ({ resource, type: 'updating' })),
  }))

test('the export of any stack is valid and can be imported unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(snapshots, fc.boolean(), async (snapshot, sealed) => {
      const stored = await encodeSnapshot(snapshot, manager, sealed ? 'sealed' : 'plaintext')
      const text = await printEnvelope(await envelopeOf(stored))
      expect(verifyExport(text, { sealed })).toEqual([])
      const { deployment } = await parseEnvelope(text)
      expect(deployment).not.toBeNull()
      if (deployment !== null)
        expect(await decodePlainSnapshot(deployment, manager)).toEqual(snapshot)
    }),
    { numRuns: 60 * caseCountFactor },
  )
})
