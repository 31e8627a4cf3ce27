import { afterEach, expect, test } from 'vitest'
import { ConfigureResponse } from '../../../proto/gen/pulumi/provider.ts'
import { type DeploymentInfo, ResourceMonitorFeature } from '../../../proto/gen/pulumi/resource.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { findResource } from '../stack-states.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Creates a cloud whose provider accepts references. */
function createReferringCloud(): Cloud {
  const cloud = createCloud()
  const configure = () =>
    ConfigureResponse.create({
      acceptSecrets: true,
      acceptResources: true,
      supportsPreview: true,
    })
  return { ...cloud, script: { ...cloud.script, configure } }
}

const referencesFeature = ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES
const signatureKey = '4dabf18193072939515e22adb298388d'
const referenceSignature = '5cf8f73096256a8f31e491e813e4eb8e'
const createReference = (urn: string, id?: string): Record<string, unknown> => ({
  [signatureKey]: referenceSignature,
  urn,
  ...(id === undefined ? {} : { id }),
})
/**
 * Returns the stored form of a reference. Name and type are part of the URN, and readers take them
 * from there.
 */
const toStored = (urn: string, id?: string) => ({ ...createReference(urn, id), packageVersion: '' })
/** Returns the form of a reference that a program receives, with its type and name. */
const toFilled = (urn: string, type: string, name: string, id?: string) => ({
  ...createReference(urn, id),
  type,
  name,
})

/** Registers a component and a thing, and another thing that refers to both. */
const createReferring =
  (
    onReceived: (object: unknown, urns: readonly string[]) => void,
    acceptResources: boolean,
  ): Program =>
  async monitor => {
    const a = await monitor.register({ type: 'my:c:Group', name: 'a', object: {} })
    await monitor.registerOutputs(a.urn, {})
    const b = await registerThing(monitor, 'b', {})
    const object = { a: createReference(a.urn), b: createReference(b.urn, b.id) }
    const c = await registerThing(monitor, 'c', object, { acceptResources })
    onReceived(c.object, [a.urn, b.urn])
  }

test('TestResourceReferences: references are kept in inputs, provider calls, outputs and the state', async () => {
  const engine = await engines.open(createReferringCloud())
  const seen: unknown[] = []
  let knownUrns: readonly string[] = []
  const program = createReferring((object, urns) => {
    seen.push(object)
    knownUrns = urns
  }, true)
  const { state } = await engine.run(program)
  const [a = '', b = ''] = knownUrns
  const storedReferences = { a: toStored(a), b: toStored(b, 'b-1') }
  expect(findResource(state, 'c')).toMatchObject({
    inputs: storedReferences,
    outputs: storedReferences,
  })
  expect(seen[0]).toEqual({
    a: toFilled(a, 'my:c:Group', 'a'),
    b: toFilled(b, 'test:index:Thing', 'b', 'b-1'),
  })
  const nextRun = await engine.run(program)
  expect(nextRun.result.hasChanges).toBe(false)
  expect(seen[1]).toEqual(seen[0])
})

test('TestResourceReferences_DownlevelSDK: an SDK without support receives ids and URNs', async () => {
  const engine = await engines.open(createReferringCloud())
  const seen: unknown[] = []
  let knownUrns: readonly string[] = []
  const program = createReferring((object, urns) => {
    seen.push(object)
    knownUrns = urns
  }, false)
  await engine.run(program, { dryRun: true })
  await engine.run(program)
  const [a] = knownUrns
  expect(seen[1]).toEqual({ a, b: 'b-1' })
  expect(seen[0]).toMatchObject({ a })
})

test.each([true, false])(
  'TestResourceReferences_DownlevelEngine: a program sends and receives references only if the engine announces the feature (hidden: %s)',
  async isHidden => {
    const cloud = createReferringCloud()
    const engine = await engines.open(cloud)
    const seen: unknown[] = []
    let urn = ''
    const testRun = await engine.run(
      async monitor => {
        const supports = (id: string): Promise<boolean> =>
          new Promise((resolve, reject) =>
            monitor.client.supportsFeature({ id }, (failed, reply) =>
              failed === null ? resolve(reply.hasSupport) : reject(failed),
            ),
          )
        const info = await new Promise<DeploymentInfo>((resolve, reject) =>
          monitor.client.getDeploymentInfo({}, (failed, reply) =>
            failed === null ? resolve(reply) : reject(failed),
          ),
        )
        const acceptResources = await supports('resourceReferences')
        seen.push(acceptResources, await supports('secrets'))
        seen.push(info.supportedFeatures.includes(referencesFeature))
        const a = await monitor.register({ type: 'my:c:Group', name: 'a', object: {} })
        urn = a.urn
        const object = { a: acceptResources ? createReference(urn) : urn }
        seen.push((await registerThing(monitor, 'c', object, { acceptResources })).object)
      },
      isHidden ? { withoutFeatures: ['resourceReferences'] } : {},
    )
    expect(testRun.result.result).toBe('succeeded')
    const plain = [false, true, false, { a: urn }]
    expect(seen).toEqual(
      isHidden ? plain : [true, true, true, { a: toFilled(urn, 'my:c:Group', 'a') }],
    )
  },
)

test('TestResourceReferences_GetResource: getResource returns the state of a resource with its references', async () => {
  const engine = await engines.open(createReferringCloud())
  const seen: Record<string, unknown>[] = []
  let child = ''
  const program: Program = async monitor => {
    const inner = await registerThing(monitor, 'inner', {})
    child = inner.urn
    const object = { child: createReference(inner.urn, inner.id) }
    const outer = await registerThing(monitor, 'outer', object, { acceptResources: true })
    seen.push(await monitor.invoke('pulumi:pulumi:getResource', { urn: outer.urn }))
    seen.push(await monitor.invoke('pulumi:pulumi:getResource', { urn: monitor.stack }))
  }
  const { state } = await engine.run(program)
  const outer = findResource(state, 'outer')
  expect(seen[0]).toMatchObject({
    urn: outer?.urn,
    id: 'outer-1',
    provider: outer?.['provider'],
    state: { child: toFilled(child, 'test:index:Thing', 'inner', 'inner-1') },
  })
  expect(seen[1]).toMatchObject({ id: '', provider: '', state: {} })
  const unknown = await engine.run(async monitor => {
    await monitor.invoke('pulumi:pulumi:getResource', { urn: `${monitor.stack}x` })
  })
  expect(unknown.result.result).toBe('failed')
})
