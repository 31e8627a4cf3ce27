import { afterEach, expect, test } from 'vitest'
import {
  type DiffRequest,
  DiffResponse,
  PropertyDiff_Kind,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Script } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { diffProperties } from '../../../cli/display/property-diff.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { resourceStepsOf } from '../resource-steps.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const program =
  (v: string): Program =>
  async monitor => {
    const object = { scalar: v, array: [v], map: { k: v } }
    await registerThing(monitor, 'a', object, { hideDiffs: ['array', 'map', 'scalar'] })
    await registerThing(monitor, 'b', object, { hideDiffs: ['array', 'map.k'] })
    await registerThing(monitor, 'c', { scalar: 'fixed' }, { hideDiffs: ['scalar'] })
  }

/** Returns the displayed diffs of an update whose provider returns a detailed diff or none. */
async function showDiffs(isDetailed: boolean): Promise<readonly (readonly string[])[]> {
  const cloud = createCloud()
  const diff = (request: DiffRequest): DiffResponse => {
    const [olds, news] = [request.oldInputs ?? {}, request.news ?? {}]
    const diffs = Object.keys(news).filter(
      key => JSON.stringify(olds[key]) !== JSON.stringify(news[key]),
    )
    const paths = new Map([
      ['array', 'array[0]'],
      ['map', 'map.k'],
    ])
    const detailedDiff = new Map(
      diffs.map(key => [
        paths.get(key) ?? key,
        { kind: PropertyDiff_Kind.UPDATE, inputDiff: true },
      ]),
    )
    return DiffResponse.create({
      changes: diffs.length > 0 ? 2 : 1,
      diffs,
      ...(isDetailed ? { hasDetailedDiff: true, detailedDiff } : {}),
    })
  }
  const script: Script = { ...cloud.script, diff }
  const engine = await engines.open({ ...cloud, script })
  const { state } = await engine.run(program('x'))
  const a = state.resources?.find(({ urn }) => urn.endsWith('::a'))
  expect(a?.['hideDiff']).toEqual(['array', 'map', 'scalar'])
  const { events } = await engine.run(program('y'))
  expect(resourceStepsOf(events)).toEqual(['update a', 'update b', 'same c'])
  expect(cloud.mutatingCalls.slice(3)).toEqual(['update a-1', 'update b-1'])
  return events.flatMap(event => {
    if (!('resourcePreEvent' in event) || event.resourcePreEvent === undefined) return []
    const { metadata } = event.resourcePreEvent
    if (metadata.type !== 'test:index:Thing') return []
    return [diffProperties(metadata, 'inputs').map(({ mark, text }) => `${mark} ${text}`)]
  })
}

test('TestHideDiffs_Plain: hidden properties are updated like others and not displayed', async () => {
  expect(await showDiffs(false)).toEqual([
    ['~ array (hidden)', '~ map (hidden)', '~ scalar (hidden)'],
    ['~ scalar: "x" => "y"', '~ array (hidden)', '~ map.k (hidden)'],
    [],
  ])
})

test('TestHideDiffs_Detailed: hidden properties of a detailed diff are updated and not displayed, too', async () => {
  expect(await showDiffs(true)).toEqual([
    ['~ array (hidden)', '~ map (hidden)', '~ scalar (hidden)'],
    ['~ scalar: "x" => "y"', '~ array (hidden)', '~ map.k (hidden)'],
    [],
  ])
})
