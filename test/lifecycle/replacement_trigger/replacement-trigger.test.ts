import { afterEach, describe, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { trimmedErrorsOf, resourceUrnOf, wireValues } from '../components.ts'
import type { Program } from '../engine.ts'
import { resourceStepsOf } from '../resource-steps.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const createTriggered =
  (replacementTrigger?: unknown): Program =>
  async monitor =>
    void (await registerThing(monitor, 'a', { foo: 'bar' }, { replacementTrigger }))

const replaced = ['create-replacement a', 'replace a', 'delete-replaced a']

/** Returns the steps of runs on one stack, one run per trigger. */
async function runTriggers(
  ...triggers: readonly unknown[]
): Promise<readonly (readonly string[])[]> {
  const engine = await engines.open(createCloud())
  const all: (readonly string[])[] = []
  for (const trigger of triggers) {
    const { events, result } = await engine.run(createTriggered(trigger))
    expect(result.result).toBe('succeeded')
    all.push(resourceStepsOf(events))
  }
  return all
}

test('TestReplacementTrigger: another value of the trigger replaces the resource, and adding or removing the trigger does not', async () => {
  expect(await runTriggers(undefined, 'first', 'first', 'second', undefined)).toEqual([
    ['create a'],
    ['same a'],
    ['same a'],
    replaced,
    ['same a'],
  ])
})

test('a new trigger is stored although nothing else changes', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createTriggered())
  const { state } = await engine.run(createTriggered('first'))
  const a = state.resources?.find(({ urn }) => urn === resourceUrnOf('a'))
  expect(a?.['replacementTrigger']).toBe('first')
})

describe('the wrapper of a trigger', () => {
  test('TestReplacementTriggerWithSecret: a secret of the same value does not replace', async () => {
    expect(await runTriggers('first', wireValues.secret('first'))).toEqual([
      ['create a'],
      ['same a'],
    ])
  })

  test('TestReplacementTriggerWithDeepSecret: a nested secret of the same value does not replace', async () => {
    const [plain, hidden] = [['first'], [wireValues.secret('first')]]
    expect(await runTriggers(plain, hidden)).toEqual([['create a'], ['same a']])
  })

  test('TestReplacementTriggerOutputWrappedPlainValue: an output of the same value does not replace, and one of another value does', async () => {
    const [first, second] = ['first', 'second'].map(value => wireValues.output({ value }))
    expect(await runTriggers('first', first, second)).toEqual([['create a'], ['same a'], replaced])
  })
})

/** Checks that an unknown trigger replaces in a preview and fails an update. */
async function checkUnknownTrigger(knownTrigger: unknown, unknownTrigger: unknown): Promise<void> {
  const engine = await engines.open(createCloud())
  await engine.run(createTriggered(knownTrigger))
  expect(resourceStepsOf((await engine.run(createTriggered(knownTrigger))).events)).toEqual([
    'same a',
  ])
  const preview = await engine.run(createTriggered(unknownTrigger), { dryRun: true })
  expect(resourceStepsOf(preview.events)).toContain('replace a')
  const up = await engine.run(createTriggered(unknownTrigger))
  expect(up.result.result).toBe('failed')
  expect(trimmedErrorsOf(up.events)).toContain(
    `replacement trigger contains unknowns for ${resourceUrnOf('a')}`,
  )
  const a = up.state.resources?.find(({ urn }) => urn === resourceUrnOf('a'))
  expect(a?.['id']).toBe('a-1')
}

test('TestReplacementTriggerWithOutput: an unknown output replaces in a preview and fails an update', () =>
  checkUnknownTrigger(wireValues.output({ value: 'first' }), wireValues.output({})))

test('TestReplacementTriggerWithComputed: a computed value replaces in a preview and fails an update', () =>
  checkUnknownTrigger('first', wireValues.unknown))
