import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import { secretOf } from '../values/value.ts'
import { decodeResource, encodeResource } from './resource-codec.ts'
import { withPlainMaps } from './snapshot.fixture.ts'
import { createResourceState, type ResourceState } from './resource.ts'

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const seal = (plaintext: string) => ({ ciphertext: `sealed(${plaintext})` })
const open = (ciphertext: string): string => ciphertext.slice('sealed('.length, -1)

const completeState: ResourceState = {
  urn: urnOf('a'),
  type: 'a:b:C',
  custom: true,
  delete: true,
  id: 'i-1',
  inputs: new Map([['size', 3]]),
  outputs: new Map([['token', secretOf('hush')]]),
  parent: urnOf('p'),
  protect: true,
  taint: true,
  external: true,
  dependencies: [urnOf('d')],
  initErrors: ['slow'],
  provider: 'urn:pulumi:dev::shop::pulumi:providers:a::default::id',
  propertyDependencies: new Map([['size', [urnOf('d')]]]),
  pendingReplacement: true,
  additionalSecretOutputs: ['token'],
  aliases: [urnOf('old')],
  customTimeouts: { create: 60, read: 1.5 },
  importID: 'imp',
  retainOnDelete: true,
  deletedWith: urnOf('w'),
  replaceWith: [urnOf('r')],
  created: '2026-01-02T03:04:05.123456789Z',
  modified: '2026-01-03T03:04:05Z',
  sourcePosition: 'project:///index.ts#1,2',
  stackTrace: [{ sourcePosition: 'project:///index.ts#1,2' }, {}],
  ignoreChanges: ['tags'],
  hideDiff: ['size'],
  replaceOnChanges: ['name'],
  replacementTrigger: 'again',
  refreshBeforeUpdate: true,
  viewOf: urnOf('v'),
  resourceHooks: new Map([['BeforeCreate', ['check']]]),
  extensionRef: 'ext',
  snippetID: 'snip',
}

describe('the stored form of a resource', () => {
  test("keeps every field, in Pulumi's order", () => {
    const stored = encodeResource(completeState, seal)
    expect(Object.keys(stored).join()).toBe(
      'urn,custom,delete,id,type,inputs,outputs,parent,protect,taint,external,dependencies,' +
        'initErrors,provider,propertyDependencies,pendingReplacement,additionalSecretOutputs,' +
        'aliases,customTimeouts,importID,retainOnDelete,deletedWith,replaceWith,created,modified,' +
        'sourcePosition,stackTrace,ignoreChanges,hideDiff,replaceOnChanges,replacementTrigger,' +
        'refreshBeforeUpdate,viewOf,resourceHooks,extensionRef,snippetID',
    )
    expect(withPlainMaps(decodeResource(JSON.parse(JSON.stringify(stored)), open))).toEqual(
      completeState,
    )
  })

  test('omits empty fields, but not `custom`', () => {
    const stored = encodeResource(
      createResourceState({
        urn: urnOf('a'),
        type: 'a:b:C',
        custom: false,
        customTimeouts: { read: 0 },
      }),
      seal,
    )
    expect(stored).toEqual({ urn: urnOf('a'), custom: false, type: 'a:b:C' })
  })

  test.each([false, 0, ''])('writes the replacement trigger %j', replacementTrigger => {
    const state = createResourceState({
      urn: urnOf('a'),
      type: 'a:b:C',
      custom: true,
      replacementTrigger,
    })
    const stored = encodeResource(state, seal)
    expect(stored['replacementTrigger']).toBe(replacementTrigger)
    expect(decodeResource(stored, open).replacementTrigger).toBe(replacementTrigger)
  })

  test('seals secrets', () => {
    expect(encodeResource(completeState, seal)['outputs']).toMatchObject({
      token: { ciphertext: 'sealed("hush")' },
    })
  })

  test('reads null as absent', () => {
    const state = decodeResource(
      {
        urn: urnOf('a'),
        custom: true,
        type: 'a:b:C',
        inputs: null,
        dependencies: null,
        propertyDependencies: { size: null },
        customTimeouts: null,
      },
      open,
    )
    expect(state.inputs).toEqual(new Map())
    expect(state.dependencies).toEqual([])
    expect(state.propertyDependencies).toEqual(new Map([['size', []]]))
    expect(state.customTimeouts).toEqual({})
  })
})
