import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Urn, urnOf } from '../../../shared/names/urn.ts'
import { startTimeOf } from '../../../shared/platform/system/process-groups.ts'
import type { Provider } from '../../../shared/providers/provider.ts'
import { type PropertyMap, type PropertyValue, unknown } from '../../../shared/values/value.ts'
import { createPluginRig, createDescriptor, type PluginRig } from './plugin-rig.ts'

function toPropertyMap(fields: Record<string, PropertyValue>): PropertyMap {
  return new Map(Object.entries(fields))
}
const noProperties = toPropertyMap({})
const toSecret = (value: PropertyValue): PropertyValue => ({ kind: 'secret', value })
const randomSeed = new Uint8Array(32)

function createSubject(type: string, name: string): { urn: Urn; name: string; type: string } {
  return { urn: urnOf({ stack: 'd', project: 'p', qualifiedType: type, name }), name, type }
}

async function loadConfigured(
  rig: PluginRig,
  pkg: string,
  inputs = noProperties,
): Promise<Provider> {
  const provider = await rig.load(pkg)
  await provider.configure({
    ...createSubject(`pulumi:providers:${pkg}`, 'default'),
    id: 'x',
    inputs,
  })
  return provider
}

let rig: PluginRig
afterEach(() => {
  rig.setFaults({})
})
beforeAll(() => {
  rig = createPluginRig()
})
afterAll(async () => {
  const pids = rig.processes.listGroups().map(group => group.pid)
  await rig.close()
  expect(pids.filter(pid => startTimeOf(pid) !== '')).toEqual([])
})

describe('the golden provider', () => {
  const thing = createSubject('gold:index:Thing', 'a')

  test('supports check, create, diff, read, update and delete', async () => {
    const gold = await loadConfigured(
      rig,
      'gold',
      toPropertyMap({ region: 'eu', version: '1.0.0' }),
    )
    expect(gold.version).toBe('1.0.0')
    const firstInputs = toPropertyMap({ value: toSecret('v'), secretOut: 1 })
    const checked = await gold.check({
      ...thing,
      oldInputs: undefined,
      newInputs: firstInputs,
      allowUnknowns: false,
      randomSeed,
    })
    expect(checked).toEqual({ inputs: firstInputs, failures: [] })
    const input = { ...thing, inputs: firstInputs, timeoutSeconds: 0 }
    const planned = await gold.create({ ...input, preview: true })
    expect(planned.outputs.get('serial')).toEqual(unknown)
    const createResult = await gold.create({ ...input, preview: false })
    expect(createResult).toEqual({
      id: 'a-1',
      outputs: toPropertyMap({
        value: toSecret('v'),
        secretOut: 1,
        serial: 'a-1#1',
        arn: 'gold:eu:a-1',
        token: toSecret('tok-1'),
      }),
      refreshBeforeUpdate: false,
    })
    const old = {
      id: createResult.id,
      oldInputs: firstInputs,
      oldOutputs: createResult.outputs,
      ignoreChanges: [],
    }
    const newInputs = toPropertyMap({ value: 'w', detailed: true })
    const diff = await gold.diff({ ...thing, ...old, newInputs, allowUnknowns: false })
    expect(diff.changes).toBe('some')
    expect(diff.detailedDiff?.get('value')).toEqual({ kind: 'update', inputDiff: true })
    const read = await gold.read({
      ...thing,
      id: createResult.id,
      inputs: firstInputs,
      outputs: createResult.outputs,
      timeoutSeconds: 0,
    })
    expect(read.inputs).toEqual(firstInputs)
    const updated = await gold.update({
      ...thing,
      ...old,
      newInputs,
      timeoutSeconds: 0,
      preview: false,
    })
    expect(updated.outputs.get('serial')).toBe('a-1#2')
    const deletion = {
      ...thing,
      id: createResult.id,
      inputs: firstInputs,
      outputs: updated.outputs,
      timeoutSeconds: 0,
    }
    await gold.delete(deletion)
    const readOfMissing = await gold.read({
      ...thing,
      id: createResult.id,
      inputs: noProperties,
      outputs: noProperties,
      timeoutSeconds: 0,
    })
    expect(readOfMissing).toMatchObject({ id: '', outputs: undefined })
    await gold.close()
  })

  test('reports a partial create with the existing object', async () => {
    const gold = await loadConfigured(rig, 'gold')
    const partialSubject = createSubject('gold:index:Thing', 'part')
    rig.setFaults({ 'partial-create:part': 1 })
    const input = {
      ...partialSubject,
      inputs: toPropertyMap({ v: 1 }),
      timeoutSeconds: 0,
      preview: false,
    }
    await expect(gold.create(input)).rejects.toMatchObject({
      status: 'partial',
      partialResource: { id: 'part-1', reasons: ['part is not ready', 'second reason'] },
    })
    rig.setFaults({ 'partial-read:part': 1 })
    const read = await gold.read({
      ...partialSubject,
      id: 'part-1',
      inputs: noProperties,
      outputs: noProperties,
      timeoutSeconds: 0,
    })
    expect(read).toMatchObject({ id: 'part-1', initErrors: ['part is unhealthy'] })
    await gold.close()
  })

  test('answers calls of functions, and reports refused arguments', async () => {
    const gold = await loadConfigured(rig, 'gold', toPropertyMap({ region: 'eu' }))
    const invoke = (token: string) =>
      gold.invoke({
        token: `gold:index:${token}`,
        args: toPropertyMap({ x: toSecret(1) }),
        preview: false,
      })
    expect((await invoke('echo')).outputs).toEqual(
      toPropertyMap({ result: toSecret(1), region: 'eu' }),
    )
    expect((await invoke('refuse')).failures).toEqual([{ property: 'x', reason: 'is refused' }])
    await expect(invoke('nothing')).rejects.toThrow('unknown function')
    await gold.close()
  })

  test('that is killed during a create is reported as lost', async () => {
    const gold = await loadConfigured(rig, 'gold')
    rig.setFaults({ 'hang-create:hung': 1 })
    const input = {
      ...createSubject('gold:index:Thing', 'hung'),
      inputs: noProperties,
      timeoutSeconds: 0,
    }
    const create = gold.create({ ...input, preview: false })
    const verdict = expect(create).rejects.toMatchObject({ status: 'lost' })
    await expect.poll(rig.readCalls).toContain('"hang":true')
    for (const { pid } of rig.processes.listGroups()) process.kill(pid, 'SIGKILL')
    await verdict
    await expect(create).rejects.toThrow("provider 'gold' ended with signal SIGKILL during Create")
    const unsent = { status: 'ok', isRequestUnsent: true }
    await expect(gold.create({ ...input, preview: false })).rejects.toMatchObject(unsent)
    await expect
      .poll(() =>
        rig.messages.filter(({ severity }) => severity === 'error').map(({ text }) => text),
      )
      .toEqual([expect.stringContaining('ended with signal SIGKILL unexpectedly')])
    await gold.close()
  })

  test('without newer features receives plaintext secrets and no previews', async () => {
    const old = await loadConfigured(rig, 'goldold')
    const input = {
      ...createSubject('goldold:index:Thing', 'o'),
      inputs: toPropertyMap({ v: toSecret(1) }),
    }
    expect(await old.create({ ...input, timeoutSeconds: 0, preview: true })).toEqual({
      id: '',
      outputs: toPropertyMap({ v: toSecret(1) }),
      refreshBeforeUpdate: false,
    })
    const createResult = await old.create({ ...input, timeoutSeconds: 0, preview: false })
    expect(createResult.outputs.get('v')).toEqual(toSecret(1))
    await old.close()
  })
})

describe("a provider written with the SDK's server", () => {
  const res = createSubject('simple:index:Res', 'a')

  test('negotiates its features through Configure', async () => {
    const simple = await loadConfigured(rig, 'simple')
    expect(simple.version).toBe('2.1.0')
    const newInputs = toPropertyMap({ a: toSecret([1]), bad: true })
    const checked = await simple.check({
      ...res,
      oldInputs: undefined,
      newInputs,
      allowUnknowns: false,
      randomSeed,
    })
    expect(checked).toEqual({
      inputs: newInputs,
      failures: [{ property: 'bad', reason: 'is bad' }],
    })
    const createResult = await simple.create({
      ...res,
      inputs: newInputs,
      timeoutSeconds: 0,
      preview: false,
    })
    expect(createResult).toMatchObject({
      id: 'simple-1',
      outputs: toPropertyMap({ ...Object.fromEntries(newInputs), made: true }),
    })
    const reply = await simple.invoke({
      token: 'simple:index:f',
      args: toPropertyMap({ x: 1 }),
      preview: false,
    })
    expect(reply.outputs).toEqual(toPropertyMap({ got: toPropertyMap({ x: 1 }) }))
    await simple.close()
  })

  test('refuses with its own message', async () => {
    const simple = await loadConfigured(rig, 'simple')
    const input = {
      ...res,
      inputs: toPropertyMap({ refuse: true }),
      timeoutSeconds: 0,
      preview: false,
    }
    await expect(simple.create(input)).rejects.toMatchObject({
      status: 'unknown',
      message: expect.stringContaining('refused by name'),
    })
    await simple.close()
  })

  test('that crashes during a create is reported with its last lines', async () => {
    const simple = await loadConfigured(rig, 'simple')
    const input = {
      ...res,
      inputs: toPropertyMap({ boom: true }),
      timeoutSeconds: 0,
      preview: false,
    }
    const failed = await simple.create(input).catch((thrown: unknown) => thrown)
    expect(failed).toMatchObject({ status: 'lost' })
    expect(String(failed)).toContain('ended with exit code 7 during Create')
    expect(String(failed)).toContain('  about to crash')
    await simple.close()
  })

  test('is reported when it is older than requested', async () => {
    const launchOptions = { pkg: 'simple', packageConfig: {} }
    const simple = await rig.host.load(createDescriptor('simple', '3.0.0'), launchOptions)
    expect(rig.messages).toContainEqual(
      expect.objectContaining({ severity: 'warning', text: expect.stringContaining('has 2.1.0') }),
    )
    await simple.close()
  })
})

describe("the SDK's dynamic provider", () => {
  const res = createSubject('pulumi-nodejs:dynamic:Resource', 'a')
  const toHandlerCode = (body: string): string => `exports.handler = () => (${body})`

  test('is found without PATH, and runs the functions of the program', async () => {
    const dynamic = await loadConfigured(rig, 'pulumi-nodejs')
    const source = toHandlerCode(`{
      create: async inputs => {
        console.log('making')
        return { id: 'd-1', outs: { up: inputs.text.toUpperCase() } }
      },
      update: async (id, olds, news) => ({ outs: { up: news.text } }),
    }`)
    const inputs = toPropertyMap({ __provider: source, text: toSecret('hush') })
    const checked = await dynamic.check({
      ...res,
      oldInputs: undefined,
      newInputs: inputs,
      allowUnknowns: false,
      randomSeed,
    })
    expect(checked.inputs).toEqual(inputs)
    const createResult = await dynamic.create({ ...res, inputs, timeoutSeconds: 0, preview: false })
    expect(createResult).toMatchObject({
      id: 'd-1',
      outputs: toPropertyMap({ up: 'HUSH', __provider: source }),
    })
    const old = {
      id: createResult.id,
      oldInputs: inputs,
      oldOutputs: createResult.outputs,
      ignoreChanges: [],
    }
    const diff = await dynamic.diff({ ...res, ...old, newInputs: inputs, allowUnknowns: false })
    expect(diff.changes).toBe('unknown')
    await dynamic.delete({
      ...res,
      id: createResult.id,
      inputs,
      outputs: createResult.outputs,
      timeoutSeconds: 0,
    })
    await expect
      .poll(() => rig.messages)
      .toContainEqual(
        expect.objectContaining({ plugin: 'pulumi-nodejs', severity: 'info', text: 'making' }),
      )
    await dynamic.close()
  })

  test('reports a partial create when the program error has an id', async () => {
    const dynamic = await loadConfigured(rig, 'pulumi-nodejs')
    const source = toHandlerCode(`{
      create: async () => {
        const exists = { id: 'd-2', properties: { a: 1 }, reasons: ['wait'] }
        throw Object.assign(new Error('slow'), exists)
      },
    }`)
    const input = {
      ...res,
      inputs: toPropertyMap({ __provider: source }),
      timeoutSeconds: 0,
      preview: false,
    }
    await expect(dynamic.create(input)).rejects.toMatchObject({
      status: 'partial',
      partialResource: { id: 'd-2', reasons: ['wait'] },
    })
    await dynamic.close()
  })
})

describe('a host', () => {
  test('reports a missing plugin', async () => {
    await expect(rig.load('nowhere')).rejects.toMatchObject({ code: 'PLUGIN_MISSING' })
  })

  test('runs each plugin in a separate process, and ends all of them', async () => {
    const ownRig = createPluginRig()
    await Promise.all([ownRig.load('gold'), ownRig.load('gold')])
    const pids = ownRig.processes.listGroups().map(({ pid }) => pid)
    expect(pids).toHaveLength(2)
    await ownRig.host.cancelAll()
    await ownRig.host.close()
    expect(ownRig.processes.listGroups()).toEqual([])
    expect(ownRig.messages.filter(({ severity }) => severity === 'error')).toEqual([])
    await ownRig.close()
  })
})
