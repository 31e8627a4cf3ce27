import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { DiffRequest } from '../../proto/gen/pulumi/provider.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment, StoredResource } from '../../shared/state/stored.ts'
import { type Cloud, createCloud } from '../lifecycle/cloud.ts'
import type { TestRun } from '../lifecycle/engine.ts'
import { createEngines } from '../lifecycle/register-thing.ts'
import {
  type ProgramChange,
  programChanges,
  programOf,
  sourceOf,
  expectedStateOf,
} from './programs.fixture.ts'
import { caseCountFactor } from './configure-properties.ts'

const engines = createEngines()
afterEach(() => engines.close())

const nameOf = (urn: unknown): string => String(urn).split('::').at(-1) ?? ''

/** Reports whether the program registers a resource: all except default providers and the stack. */
const isCompared = ({ urn, type }: StoredResource): boolean =>
  type !== 'pulumi:pulumi:Stack' && nameOf(urn) !== 'default'

/** Returns a state's description of each resource, in the form of `expectedStateOf`. */
function descriptionOf({ resources = [] }: StoredDeployment): Readonly<Record<string, object>> {
  const entries = resources.filter(isCompared).map(state => {
    const { type, inputs = {}, dependencies } = state
    const names = [...new Set(((dependencies ?? []) as string[]).map(nameOf))].sort()
    const description = { type, inputs, parent: nameOf(state['parent']), dependencies: names }
    return [nameOf(state.urn), description] as const
  })
  expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length)
  return Object.fromEntries(entries)
}

const idOf = (state: StoredResource | undefined): string => {
  const id = state?.['id']
  return typeof id === 'string' ? id : ''
}

const createIdLookup =
  ({ resources = [] }: StoredDeployment) =>
  (name: string): string =>
    idOf(resources.find(({ urn }) => nameOf(urn) === name))

const stepsOf = ({ events }: TestRun): readonly string[] =>
  events.flatMap(event =>
    'resourcePreEvent' in event
      ? [`${event.resourcePreEvent.metadata.op} ${nameOf(event.resourcePreEvent.metadata.urn)}`]
      : [],
  )

/** Runs work. If it fails, the error contains the case as source code. */
async function withSource(change: ProgramChange, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new Error(`${why}\n${sourceOf(change)}`, { cause: thrown })
  } finally {
    await engines.close()
  }
}

/**
 * Checks that the cloud has every id of the state. Any other object belongs to a resource that is
 * retained or has `deletedWith`.
 */
function checkObjects({ objects }: Cloud, state: StoredDeployment, change: ProgramChange): void {
  const ids = (state.resources ?? []).filter(({ type }) => type === 'test:index:Thing').map(idOf)
  const objectIds = [...objects.keys()]
  for (const id of ids) expect(objectIds).toContain(id)
  const retainedNames = [...change.before, ...change.after]
    .filter(({ retained, deletedWith }) => retained || deletedWith !== undefined)
    .map(({ name }) => name)
  const otherIds = objectIds.filter(
    id => !ids.includes(id) && !retainedNames.includes(id.replace(/-\d+$/, '')),
  )
  expect(otherIds).toEqual([])
}

test('any program after any other reaches its expected state, and a repeated run changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(programChanges, fc.boolean(), (change, isParallel) =>
      withSource(change, async () => {
        const cloud = createCloud()
        const engine = await engines.open(cloud)
        await engine.run(programOf(change.before, isParallel))
        const program = programOf(change.after, isParallel)
        const previewed = await engine.run(program, { dryRun: true })
        expect(previewed.result.result).toBe('succeeded')
        const testRun = await engine.run(program)
        expect(testRun.result.result).toBe('succeeded')
        expect(verifyIntegrity(testRun.state)).toBeUndefined()
        expect(testRun.state.pending_operations ?? []).toEqual([])
        expect(descriptionOf(testRun.state)).toEqual(
          expectedStateOf(change.after, createIdLookup(testRun.state)),
        )
        checkObjects(cloud, testRun.state, change)
        const calls = cloud.mutatingCalls.length
        const nextRun = await engine.run(program)
        expect(stepsOf(nextRun).filter(step => !step.startsWith('same '))).toEqual([])
        expect(cloud.mutatingCalls.slice(calls)).toEqual([])
        expect(nextRun.state.resources).toEqual(testRun.state.resources)
      }),
    ),
    { numRuns: 24 * caseCountFactor },
  )
})

/** Delays the diff of each resource by a drawn time. */
function withDelays(cloud: Cloud, delays: readonly number[]): Cloud {
  const diff = async (request: DiffRequest): Promise<unknown> => {
    const index = Number(/\d+/.exec(nameOf(request.urn))?.[0] ?? 0)
    await new Promise(done => setTimeout(done, (delays[index % delays.length] ?? 0) * 3))
    return cloud.script.diff?.(request as never)
  }
  return { ...cloud, script: { ...cloud.script, diff } }
}

/** Reports whether dependencies are unchanged. Otherwise the order of registrations matters. */
function hasSameEdges({ before, after }: ProgramChange): boolean {
  const edgesOf = ({ resources }: { resources: ProgramChange['before'] }) =>
    new Map(
      resources.map(resource => [
        resource.previousName ?? resource.name,
        JSON.stringify(
          [
            resource.replaceSource,
            resource.deletedWith,
            resource.parent,
            resource.provider,
            ...resource.dependencies,
          ].map(index => {
            const other = index === undefined ? undefined : resources[index]
            return other?.previousName ?? other?.name
          }),
        ),
      ]),
    )
  const [olds, news] = [edgesOf({ resources: before }), edgesOf({ resources: after })]
  return [...news].every(([name, edgeText]) => (olds.get(name) ?? edgeText) === edgeText)
}

test('diffs in any order lead to the same steps', async () => {
  const delays = fc.array(fc.nat({ max: 4 }), { minLength: 8, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(programChanges.filter(hasSameEdges), delays, delays, (change, one, other) =>
      withSource(change, async () => {
        const results = []
        for (const order of [one, other]) {
          const engine = await engines.open(withDelays(createCloud(), order))
          await engine.run(programOf(change.before, false))
          const testRun = await engine.run(programOf(change.after, true))
          expect(testRun.result.result).toBe('succeeded')
          results.push({ steps: stepsOf(testRun).toSorted(), state: descriptionOf(testRun.state) })
        }
        expect(results[1]).toEqual(results[0])
      }),
    ),
    { numRuns: 12 * caseCountFactor },
  )
})
