import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTerraformProvider } from '../../../shared/providers/terraform/driver/terraform-provider.ts'
import { ProviderError } from '../../../shared/providers/provider-error.ts'
import type { Provider } from '../../../shared/providers/provider.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import {
  type PropertyMap,
  type PropertyValue,
  secretOf,
  unknown,
} from '../../../shared/values/value.ts'
import { describeWithCommands } from '../../e2e/toolchains.ts'
import { createTerraformRig, type TerraformRig } from './terraform-rig.ts'

const subject = {
  urn: 'urn:pulumi:dev::p::tfgold:index/thing:Thing::a' as Urn,
  name: 'a',
  type: 'tfgold:index/thing:Thing',
}

describeWithCommands('a Terraform provider as a provider of resources', [['go', 'version']], () => {
  let rig: TerraformRig
  let provider: Provider
  let cloud: string
  const warnings: string[] = []
  const messages: string[] = []
  beforeAll(() => {
    rig = createTerraformRig()
  })
  afterAll(() => rig.close())

  beforeEach(async () => {
    cloud = mkdtempSync(join(tmpdir(), 'tfgold-'))
    provider = await startProvider({ TFGOLD_CLOUD: cloud })
    await configure({})
  })
  afterEach(async () => {
    await provider.close()
    rmSync(cloud, { recursive: true, force: true })
  })

  async function startProvider(env: Readonly<Record<string, string>>): Promise<Provider> {
    const path = rig.pathOf('tfgold')
    const started = createTerraformProvider({
      name: 'tfgold',
      findBinary: () =>
        Promise.resolve({ path, version: '0.0.0', source: path, providerName: 'tfgold' }),
      start: () => rig.start(path, { env }),
      isEnding: () => false,
      warn: text => void warnings.push(text),
      inform: text => void messages.push(text),
    })
    const parameter = JSON.stringify({
      local: { path: `./${basename(path)}` },
      providerMeta: { module_name: 'network' },
    })
    await started.parameterize({
      name: 'tfgold',
      version: '0.0.0',
      value: Buffer.from(parameter).toString('base64'),
    })
    return started
  }

  const configure = (inputs: Readonly<Record<string, string>>): Promise<void> =>
    provider.configure({
      urn: 'urn:pulumi:dev::p::pulumi:providers:tfgold::default' as Urn,
      name: 'default',
      type: 'pulumi:providers:tfgold',
      id: 'p',
      inputs: new Map(Object.entries(inputs)),
    })

  const inputsOf = (inputs: Readonly<Record<string, PropertyValue>>): PropertyMap =>
    new Map(Object.entries(inputs))

  const create = (inputs: PropertyMap, preview = false) =>
    provider.create({ ...subject, inputs, timeoutSeconds: 0, preview })

  const diff = (outputs: PropertyMap, newInputs: PropertyMap) =>
    provider.diff({
      ...subject,
      id: 'a-1',
      oldInputs: newInputs,
      oldOutputs: outputs,
      newInputs,
      ignoreChanges: [],
      allowUnknowns: true,
    })

  test('creates an object, finds no difference afterwards, and deletes the object', async () => {
    const inputs = inputsOf({ name: 'a', value: 'v' })
    const created = await create(inputs)
    expect(created.id).toBe('a-1')
    expect(created.outputs.get('value')).toBe('v')
    expect(created.outputs.get('token')).toEqual(secretOf('token-a-1-1'))
    expect(await diff(created.outputs, inputs)).toMatchObject({ changes: 'none' })
    await provider.delete({
      ...subject,
      id: 'a-1',
      inputs,
      outputs: created.outputs,
      timeoutSeconds: 0,
    })
    expect(readdirSync(join(cloud, 'objects'))).toEqual([])
  })

  test('previews an object with unknown computed values, and does not create it', async () => {
    const preview = await create(inputsOf({ name: 'a', value: unknown }), true)
    expect(preview.id).toBe('')
    expect(preview.outputs.get('arn')).toEqual(unknown)
    expect(preview.outputs.get('value')).toEqual(unknown)
    expect(readdirSync(cloud)).not.toContain('objects')
  })

  test('names the changed property, and the one that requires a replacement', async () => {
    const { outputs } = await create(inputsOf({ name: 'a', value: 'v', zone: 'z1' }))
    const update = await diff(outputs, inputsOf({ name: 'a', value: 'w', zone: 'z1' }))
    expect(update).toMatchObject({ changes: 'some', replaceKeys: [], stableKeys: ['id'] })
    expect(update.detailedDiff?.get('value')).toEqual({ kind: 'update', inputDiff: false })
    const replacement = await diff(outputs, inputsOf({ name: 'a', value: 'v', zone: 'z2' }))
    expect(replacement.replaceKeys).toEqual(['zone'])
    expect(replacement.detailedDiff?.get('zone')?.kind).toBe('update-replace')
  })

  test('reports all invalid inputs together, by the property names of the program', async () => {
    const result = await provider.check({
      ...subject,
      oldInputs: undefined,
      newInputs: inputsOf({ name: 'a', size: 'large', value: ['x'] }),
      allowUnknowns: false,
      randomSeed: new Uint8Array(32),
    })
    expect(result.failures.map(({ property }) => property).toSorted()).toEqual(['size', 'value'])
  })

  test('imports an object by its id, and refuses one that does not exist', async () => {
    const created = await create(inputsOf({ name: 'a', value: 'v' }))
    const read = { ...subject, inputs: undefined, outputs: undefined, timeoutSeconds: 0 }
    const imported = await provider.read({ ...read, id: created.id })
    expect(imported.outputs?.get('value')).toBe('v')
    expect(imported.inputs?.get('value')).toBe('v')
    expect(imported.inputs?.has('arn')).toBe(false)
    await expect(provider.read({ ...read, id: 'b-1' })).rejects.toThrow(ProviderError)
  })

  test('calls a function, and reports a missing argument by its name', async () => {
    const call = (args: PropertyMap) =>
      provider.invoke({ token: 'tfgold:index/join:join', args, preview: false })
    const joined = await call(inputsOf({ sep: '-', parts: ['x', 'y'] }))
    expect(joined.outputs.get('result')).toBe('x-y')
    const refused = await call(inputsOf({ parts: [] }))
    expect(refused.failures).toEqual([{ property: 'sep', reason: 'a value is required' }])
  })

  test('lists objects with their identities, which an import accepts', async () => {
    const ident = { ...subject, type: 'tfgold:index/ident:Ident' }
    for (const name of ['a', 'b'])
      await provider.create({
        ...ident,
        inputs: inputsOf({ name, value: 'v' }),
        timeoutSeconds: 0,
        preview: false,
      })
    const list = (args: PropertyMap) =>
      provider.invoke({ token: 'tfgold:index/listIdent:listIdent', args, preview: false })
    const { outputs } = await list(
      inputsOf({ config: inputsOf({ prefix: 'b' }), includeResource: true }),
    )
    const identity = inputsOf({ name: 'b', region: 'r1' })
    expect(outputs.get('results')).toEqual([
      inputsOf({
        displayName: 'tfgold_ident b',
        identity,
        resource: inputsOf({ id: 'b-1', name: 'b', value: 'v', region: 'r1' }),
      }),
    ])
    const id = JSON.stringify(Object.fromEntries(identity))
    const read = { ...ident, inputs: undefined, outputs: undefined, timeoutSeconds: 0 }
    expect((await provider.read({ ...read, id })).id).toBe('b-1')
    const refused = await list(inputsOf({ config: inputsOf({ prefix: 'invalid' }) }))
    expect(refused.failures).toMatchObject([{ property: 'config.prefix' }])
  })

  test('runs an action, shows its progress, and reports its failure', async () => {
    await create(inputsOf({ name: 'a', value: 'v' }))
    const run = (name: string) =>
      provider.invoke({
        token: 'tfgold:index/runPoke:runPoke',
        args: inputsOf({ name }),
        preview: false,
      })
    expect((await run('a')).failures).toEqual([])
    expect(messages).toContain('tfgold:index/runPoke:runPoke: poking a')
    const file = readFileSync(join(cloud, 'objects', 'a-1.json'), 'utf8')
    expect(JSON.parse(file)).toMatchObject({ rev: 2 })
    await expect(run('nothing')).rejects.toThrow('There is no nothing.')
  })

  test('sends the metadata of the package', async () => {
    await create(inputsOf({ name: 'meta' }))
    const call = rig.readCalls().findLast(({ rpc }) => rpc === 'ApplyResourceChange')
    expect(call?.req).toMatchObject({ provider_meta: { module_name: 'network' } })
  })

  describe('with an ephemeral resource', () => {
    const reference = (attribute: string): PropertyValue =>
      new Map([
        [
          '__ephemeral',
          new Map<string, PropertyValue>([
            ['type', 'tfgold_ticket'],
            ['args', new Map([['name', 't']])],
            ['attribute', attribute],
          ]),
        ],
      ])

    test('gives its value to a write-only property, and records only the reference', async () => {
      const inputs = inputsOf({ name: 'a', password: reference('token') })
      const { outputs } = await create(inputs)
      expect(outputs.has('password')).toBe(false)
      expect(JSON.stringify([...outputs])).not.toContain('ticket-t')
      const file = readFileSync(join(cloud, 'objects', 'a-1.json'), 'utf8')
      expect(JSON.parse(file)).toMatchObject({ written: { password: 'ticket-t' } })
      expect(await diff(outputs, inputs)).toMatchObject({ changes: 'none' })
    })

    test('refuses its value for a property that is recorded', async () => {
      const result = await provider.check({
        ...subject,
        oldInputs: undefined,
        newInputs: inputsOf({ name: 'a', value: reference('token') }),
        allowUnknowns: false,
        randomSeed: new Uint8Array(32),
      })
      expect(result.failures).toEqual([
        { property: 'value', reason: 'only a write-only property can have an ephemeral value' },
      ])
    })

    test('fails a create that refers to an attribute that it does not have', async () => {
      const inputs = inputsOf({ name: 'a', password: reference('key') })
      await expect(create(inputs)).rejects.toThrow(
        "the ephemeral resource 'tfgold_ticket' has no value 'key'",
      )
    })
  })

  test('refuses a type that the provider does not have', async () => {
    await expect(
      provider.create({
        ...subject,
        type: 'tfgold:index/nothing:Nothing',
        inputs: new Map(),
        timeoutSeconds: 0,
        preview: false,
      }),
    ).rejects.toThrow("has no resource type 'tfgold:index/nothing:Nothing'")
  })

  describe('without parameters', () => {
    test('fails a call, because the package does not name its provider', async () => {
      const unparameterized = createTerraformProvider({
        name: 'x',
        findBinary: () => Promise.reject(new Error('not called')),
        start: () => Promise.reject(new Error('not called')),
        isEnding: () => false,
        warn: () => undefined,
        inform: () => undefined,
      })
      await expect(
        unparameterized.invoke({ token: 'x:index:y', args: new Map(), preview: false }),
      ).rejects.toThrow("package 'x' has no parameters")
    })
  })
})
