import { describe, expect, test } from 'vitest'
import type { PropertyMap } from '../../../values/value.ts'
import { ProviderError } from '../../provider-error.ts'
import type { StoredValue, TerraformClient } from '../client/terraform-client.ts'
import { readStoredObject, type StoredObject, writeStoredObject } from '../mapping/stored-object.ts'
import { createErrorDiagnostic } from './scripted-client.fixture.ts'
import { createScriptedProvider, inputsOf } from './scripted-provider.fixture.ts'
import { identityCodec, thingCodec } from './scripted-schemas.fixture.ts'

type Script = (base: TerraformClient) => Partial<TerraformClient>

const inputs = inputsOf({ label: 'a', value: 'v' })

/** Creates an object with a provider without a script, and changes its record. */
async function recordWith(change: (stored: StoredObject) => Partial<StoredObject>) {
  const { create } = await createScriptedProvider()
  const { outputs } = await create(inputs)
  const stored = readStoredObject(outputs)
  if (stored === undefined) throw new Error('the object has no record')
  return writeStoredObject(outputs, { ...stored, ...change(stored) })
}

const jsonOf = (stored: unknown): unknown => {
  const { json } = stored as Extract<StoredValue, { readonly json: Uint8Array }>
  return JSON.parse(new TextDecoder().decode(json))
}

describe('the upgrade of a state', () => {
  test('runs for the current version, too, without attributes that the schema lost', async () => {
    const outputs = await recordWith(({ stateJson }) => ({
      stateJson: JSON.stringify({ ...JSON.parse(stateJson), removed: 'x' }),
    }))
    const { diff, requestOf } = await createScriptedProvider()
    expect(await diff(outputs, inputs)).toMatchObject({ changes: 'none' })
    const upgrade = requestOf('upgradeResourceState')
    expect(upgrade['version']).toBe(1)
    expect(jsonOf(upgrade['stored'])).toMatchObject({ id: 'id-a', value: 'v' })
    expect(jsonOf(upgrade['stored'])).not.toHaveProperty('removed')
  })

  test('from an older version has the whole state, and a diff records the result', async () => {
    const outputs = await recordWith(({ stateJson }) => ({
      schemaVersion: 0,
      stateJson: JSON.stringify({ ...JSON.parse(stateJson), removed: 'x' }),
    }))
    const { diff, requestOf } = await createScriptedProvider(base => ({
      async upgradeResourceState(request) {
        const { removed: _, ...kept } = jsonOf(request.stored) as { readonly removed: string }
        const json = new TextEncoder().encode(JSON.stringify(kept))
        return base.upgradeResourceState({ ...request, stored: { json } })
      },
    }))
    const { changes, upgradedOutputs } = await diff(outputs, inputs)
    expect(jsonOf(requestOf('upgradeResourceState')['stored'])).toMatchObject({ removed: 'x' })
    expect(changes).toBe('none')
    expect(readStoredObject(upgradedOutputs ?? new Map())).toMatchObject({ schemaVersion: 1 })
  })

  test('of a newer version is refused, and the provider is not called', async () => {
    const outputs = await recordWith(() => ({ schemaVersion: 2 }))
    const { diff, takeCalls } = await createScriptedProvider()
    await expect(diff(outputs, inputs)).rejects.toThrow(
      /has schema version 2, but provider 'x' 1\.0\.0 knows only versions up to 1/,
    )
    expect(takeCalls()).toEqual([])
  })

  test.each<[string, Script, RegExp]>([
    [
      'an error',
      () => ({
        upgradeResourceState: async () => ({
          diagnostics: [createErrorDiagnostic('Too old')],
          upgradedState: undefined,
        }),
      }),
      /cannot upgrade the state of[^]*Too old/,
    ],
    [
      'another type',
      () => ({
        upgradeResourceState: async () => ({
          diagnostics: [],
          upgradedState: { msgpack: Uint8Array.of(0xa1, 0x78) },
        }),
      }),
      /upgraded the state of[^]*This is a bug of the provider/,
    ],
    [
      'a write-only value',
      () => ({
        upgradeResourceState: async () => ({
          diagnostics: [],
          upgradedState: thingCodec.encode({ label: 'a', pass: 'p' }),
        }),
      }),
      /a write-only attribute has a value at 'pass'/,
    ],
  ])('that returns %s is refused', async (_name, script, message) => {
    const outputs = await recordWith(() => ({}))
    const { diff } = await createScriptedProvider(script)
    await expect(diff(outputs, inputs)).rejects.toThrow(message)
  })

  test('of a state of the Terraform bridge has the names of the old schema, and its private data', async () => {
    const outputs = inputsOf({
      id: 'id-a',
      oldTags: ['x'],
      __meta: '{"private_state":"cGE=","schema_version":"0"}',
      __pulumi_raw_state_delta: inputsOf({
        obj: inputsOf({ renamed: inputsOf({ oldTags: 'old_tag' }) }),
      }),
    })
    const { remove, requestOf } = await createScriptedProvider(() => ({
      upgradeResourceState: async () => ({
        diagnostics: [],
        upgradedState: thingCodec.encode({ id: 'id-a', label: 'a' }),
      }),
    }))
    await remove(outputs)
    expect(requestOf('upgradeResourceState')['version']).toBe(0)
    expect(jsonOf(requestOf('upgradeResourceState')['stored'])).toEqual({
      id: 'id-a',
      old_tag: ['x'],
    })
    const { priorPrivate } = requestOf('planResourceChange')
    expect(new TextDecoder().decode(priorPrivate as unknown as Uint8Array)).toBe('pa')
  })

  test('of an identity runs only for another version, and must have a result', async () => {
    const outputs = await recordWith(() => ({ identitySchemaVersion: 0 }))
    const withNewerIdentity: Script = base => ({
      async getResourceIdentitySchemas() {
        const { schemas } = await base.getResourceIdentitySchemas()
        const [[typeName, schema] = []] = schemas
        if (typeName === undefined || schema === undefined) throw new Error('no identity')
        return { diagnostics: [], schemas: new Map([[typeName, { ...schema, version: 1 }]]) }
      },
      upgradeResourceIdentity: async () => ({ diagnostics: [], upgradedIdentity: undefined }),
    })
    const { diff } = await createScriptedProvider(withNewerIdentity)
    await expect(diff(outputs, inputs)).rejects.toThrow('upgraded the identity')
    const upgraded = identityCodec.encode({ label: 'a', region: 'r' })
    const correctProvider = await createScriptedProvider(base => ({
      ...withNewerIdentity(base),
      upgradeResourceIdentity: async () => ({ diagnostics: [], upgradedIdentity: upgraded }),
    }))
    const { upgradedOutputs = new Map() } = await correctProvider.diff(outputs, inputs)
    expect(readStoredObject(upgradedOutputs)?.identitySchemaVersion).toBe(1)
    const { priorIdentity } = correctProvider.requestOf('planResourceChange')
    expect(identityCodec.decode(priorIdentity)).toEqual({ label: 'a', region: 'r' })
  })
})

describe('an import', () => {
  const importObjects =
    (count: number): Script =>
    base => ({
      async importResourceState(request) {
        const response = await base.importResourceState(request)
        const [imported] = response.importedResources
        return {
          ...response,
          importedResources: imported === undefined ? [] : Array(count).fill(imported),
        }
      },
    })

  test.each([0, 2])('of %d objects is refused, and nothing is read', async count => {
    const { read, takeCalls } = await createScriptedProvider(importObjects(count))
    await expect(read('i1')).rejects.toThrow(
      `the provider returned ${count} objects for the id 'i1', but exactly one is required`,
    )
    expect(takeCalls()).toEqual(['importResourceState'])
  })

  test('of one object reads it with its private data, and inputs have no computed values', async () => {
    const { read, requestOf } = await createScriptedProvider()
    const { id, inputs: imported, outputs } = await read('i1')
    expect(id).toBe('i1')
    expect([...(imported ?? new Map()).keys()]).toEqual(['label', 'rules'])
    expect(outputs?.get('label')).toBe('i1')
    const { private: data } = requestOf('readResource')
    expect(new TextDecoder().decode(data as unknown as Uint8Array)).toBe('i')
  })

  test('of an object that cannot be read afterwards is refused', async () => {
    const { read } = await createScriptedProvider(base => ({
      readResource: async request => ({
        ...(await base.readResource(request)),
        newState: undefined,
      }),
    }))
    await expect(read('i1')).rejects.toThrow("the provider found no object with the id 'i1'")
  })

  test('by an identity sends no id', async () => {
    const { read, requestOf } = await createScriptedProvider()
    await read('{"label":"a"}')
    const request = requestOf('importResourceState')
    expect(request['id']).toBe('')
    expect(identityCodec.decode(request['identity'])).toEqual({ label: 'a' })
  })

  test('by an identity without a required attribute is refused', async () => {
    const { read } = await createScriptedProvider()
    await expect(read('{"region":"r"}')).rejects.toThrow("the identity of 'x_thing'")
  })

  test('that is deferred is a bug of the provider', async () => {
    const { read } = await createScriptedProvider(base => ({
      importResourceState: async request => ({
        ...(await base.importResourceState(request)),
        deferralReason: 'unknown' as const,
      }),
    }))
    await expect(read('i1')).rejects.toThrow(/deferred the import of[^]*bug of the provider/)
  })
})

describe('a refresh', () => {
  const changeReadResponses =
    (change: Readonly<Record<string, unknown>>): Script =>
    base => ({
      readResource: async request => ({ ...(await base.readResource(request)), ...change }),
    })

  /** Creates an object with a provider without a script, and a second provider with one. */
  async function createWithTwoProviders(script: Script) {
    const unscripted = await createScriptedProvider()
    const { outputs } = await unscripted.create(inputs)
    return { outputs, ...(await createScriptedProvider(script)) }
  }

  test('of an object that is gone has no id', async () => {
    const { outputs, read } = await createWithTwoProviders(
      changeReadResponses({ newState: undefined }),
    )
    expect((await read('id-a', outputs)).id).toBe('')
  })

  test('of a tainted object keeps the taint, and returns a reason', async () => {
    const failing = await createScriptedProvider(base => ({
      applyResourceChange: async request => ({
        ...(await base.applyResourceChange(request)),
        diagnostics: [createErrorDiagnostic('No health')],
      }),
    }))
    const failure: unknown = await failing.create(inputs).catch((thrown: unknown) => thrown)
    const created = failure instanceof ProviderError ? failure.partialResource?.outputs : undefined
    const { initErrors, outputs = new Map() } = await failing.read('id-a', created)
    expect(initErrors).toEqual(['the object was created with errors. The next update replaces it'])
    expect(readStoredObject(outputs)?.isTainted).toBe(true)
  })

  test('with an error keeps the object', async () => {
    const { outputs, read } = await createWithTwoProviders(
      changeReadResponses({ diagnostics: [createErrorDiagnostic('No access')] }),
    )
    await expect(read('id-a', outputs)).rejects.toThrow(/cannot read[^]*No access/)
  })

  test('records a drift, the private data and the identity of the response', async () => {
    const { outputs, read } = await createWithTwoProviders(
      changeReadResponses({
        newState: thingCodec.encode({ id: 'id-a', label: 'a', value: 'drifted' }),
        private: new TextEncoder().encode('r'),
        newIdentity: identityCodec.encode({ label: 'a', region: 'r' }),
      }),
    )
    const current = await read('id-a', outputs)
    expect(current.outputs?.get('value')).toBe('drifted')
    const stored = readStoredObject(current.outputs ?? new Map())
    expect(new TextDecoder().decode(stored?.privateData)).toBe('r')
    expect(JSON.parse(stored?.identityJson ?? '')).toEqual({ label: 'a', region: 'r' })
  })

  test('may return null for a list of blocks, as old providers do', async () => {
    const { outputs, read } = await createWithTwoProviders(
      changeReadResponses({ newState: thingCodec.encode({ id: 'id-a', label: 'a', rule: null }) }),
    )
    const current: PropertyMap | undefined = (await read('id-a', outputs)).outputs
    const state = readStoredObject(current ?? new Map())?.stateJson
    expect(JSON.parse(state ?? '')).toMatchObject({ rule: [] })
  })

  test('that changes the identity causes a warning', async () => {
    const { outputs, read, warnings } = await createWithTwoProviders(
      changeReadResponses({ newIdentity: identityCodec.encode({ label: 'b' }) }),
    )
    await read('id-a', outputs)
    expect(warnings).toEqual([expect.stringContaining('changed the identity')])
  })

  test('that is deferred is a bug of the provider', async () => {
    const { outputs, read } = await createWithTwoProviders(
      changeReadResponses({ deferralReason: 'unknown' }),
    )
    await expect(read('id-a', outputs)).rejects.toThrow(/deferred the reading of[^]*bug/)
  })
})
