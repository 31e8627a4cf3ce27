import { afterEach, expect, test } from 'vitest'
import { encodeSnapshot } from '../../../shared/state/snapshot-codec.ts'
import { createPassphraseManager } from '../../../shared/secrets/passphrase-secrets.ts'
import { createResourceState } from '../../../shared/state/resource.ts'
import { emptySnapshot } from '../../../shared/state/snapshot.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import { createCloud } from '../cloud.ts'
import type { Program, TestEngine } from '../engine.ts'
import { ProcessKilledError, type KillPoint } from '../test-process.ts'
import { findResource, publishStack } from '../stack-states.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const managerPromise = createPassphraseManager('lib')

/** Publishes a stack `other` with the output `foo`. */
async function publishOther(engine: TestEngine, foo: string): Promise<void> {
  const root = createResourceState({
    urn: 'urn:pulumi:other::life::pulumi:pulumi:Stack::life-other' as Urn,
    type: 'pulumi:pulumi:Stack',
    custom: false,
    outputs: new Map([['foo', foo]]),
  })
  const snapshot = { ...emptySnapshot, resources: [root] }
  await publishStack(
    engine,
    'other',
    await encodeSnapshot(snapshot, await managerPromise, 'sealed'),
  )
}

/**
 * Uses a stash, a stack reference that is read and one that is registered, and two functions. Their
 * results are inputs of `a`.
 */
const program: Program = async monitor => {
  const type = 'pulumi:pulumi:StackReference'
  const properties = { name: 'other' }
  const read = await monitor.read('other', 'other', { type, properties })
  const resource = await monitor.register({ type, name: 'made', custom: true, object: properties })
  const stash = await monitor.register({
    type: 'pulumi:index:Stash',
    name: 's',
    custom: true,
    object: { input: 'first' },
  })
  const stackOutputs = await monitor.invoke('pulumi:pulumi:readStackOutputs', properties)
  const { urn } = await registerThing(monitor, 'inner', {})
  const inner = await monitor.invoke('pulumi:pulumi:getResource', { urn })
  const values = [read.properties, resource.object, stackOutputs].map(answer => answer?.['outputs'])
  await registerThing(monitor, 'a', { values, stash: stash.object, id: inner['id'] })
}

test('a deployment that was killed at an effect is resumed with the recorded answers, and no built-in resource stays pending', async () => {
  const unharmed = await engines.open(createCloud())
  await publishOther(unharmed, 'bar')
  const { effects } = await unharmed.run(program)
  const begins = effects.filter(name => name === 'operations.begin')
  const kills: readonly KillPoint[] = [
    // After a begin it is unknown whether the call was sent.
    ...begins.map((call, index) => ({ effect: index + 1, call, when: 'after' }) as const),
    // Of all effects, every sixth one is a sample.
    ...effects.flatMap((_, index) =>
      index > 2 && index % 6 === 0 ? [{ effect: index, when: 'after' } as const] : [],
    ),
  ]
  let [killCount, resumedCount] = [0, 0]
  for (const kill of kills) {
    const where = JSON.stringify(kill)
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await publishOther(engine, 'bar')
    const killed = await engine.run(program, { kill }).catch((thrown: unknown) => thrown)
    // Lease renewals depend on the time: a fast run may not reach that many effects.
    if (!(killed instanceof Error)) continue
    expect(killed, where).toBeInstanceOf(ProcessKilledError)
    killCount += 1
    const testRun = await engine.run(program, { resume: true }).catch((thrown: unknown) => thrown)
    // Before the pin there is nothing to resume.
    if (testRun instanceof Error) {
      expect(testRun, where).toMatchObject({ code: 'NOTHING_TO_RESUME' })
      continue
    }
    const { result, state } = testRun as Awaited<ReturnType<TestEngine['run']>>
    const pending = (state.pending_operations ?? []).map(({ resource }) => resource.urn)
    // A killed create in the cloud stays pending. Built-in resources are created again.
    expect(
      pending.filter(urn => /StackReference|Stash/.test(urn)),
      where,
    ).toEqual([])
    if (pending.length > 0) continue
    resumedCount += 1
    expect(result.result, where).toBe('succeeded')
    const foo = { foo: 'bar' }
    expect(findResource(state, 'a')?.['inputs']).toEqual({
      id: 'inner-1',
      stash: { input: 'first', output: 'first' },
      values: [foo, foo, foo],
    })
    expect(state.resources?.filter(({ urn }) => urn.endsWith('::s'))).toHaveLength(1)
    await engine.close()
  }
  expect(killCount).toBeGreaterThan(begins.length)
  // The other kills come before the pin, or leave a create in the cloud pending.
  expect(resumedCount).toBeGreaterThanOrEqual(begins.length)
})
