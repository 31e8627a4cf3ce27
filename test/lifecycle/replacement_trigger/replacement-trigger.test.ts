import { afterEach, describe, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { errorsOf, urnOf, wire } from '../components.ts'
import type { Program } from '../engine.ts'
import { stepsOf } from '../options.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const triggered =
  (replacementTrigger?: unknown): Program =>
  async monitor =>
    void (await thing(monitor, 'a', { foo: 'bar' }, { replacementTrigger }))

const replaced = ['create-replacement a', 'replace a', 'delete-replaced a']

/** The steps of a run with each trigger in turn, on one stack. */
async function stepsWith(...triggers: readonly unknown[]): Promise<readonly (readonly string[])[]> {
  const engine = await engines.of(createCloud())
  const all: (readonly string[])[] = []
  for (const trigger of triggers) {
    const { events, result } = await engine.run(triggered(trigger))
    expect(result.result).toBe('succeeded')
    all.push(stepsOf(events))
  }
  return all
}

test('TestReplacementTrigger: another value replaces, setting it or taking it away does not', async () => {
  expect(await stepsWith(undefined, 'first', 'first', 'second', undefined)).toEqual([
    ['create a'],
    ['same a'],
    ['same a'],
    replaced,
    ['same a'],
  ])
})

test('a trigger that is set is kept although nothing else changes', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(triggered())
  const { state } = await engine.run(triggered('first'))
  const a = state.resources?.find(({ urn }) => urn === urnOf('a'))
  expect(a?.['replacementTrigger']).toBe('first')
})

describe('what is put around a trigger', () => {
  test('TestReplacementTriggerWithSecret: a secret of the same value does not replace', async () => {
    expect(await stepsWith('first', wire.secret('first'))).toEqual([['create a'], ['same a']])
  })

  test('TestReplacementTriggerWithDeepSecret: nor does one deeper inside', async () => {
    const [plain, hidden] = [['first'], [wire.secret('first')]]
    expect(await stepsWith(plain, hidden)).toEqual([['create a'], ['same a']])
  })

  test('TestReplacementTriggerOutputWrappedPlainValue: an output of the same value does not, of another does', async () => {
    const [first, second] = ['first', 'second'].map(value => wire.output({ value }))
    expect(await stepsWith('first', first, second)).toEqual([['create a'], ['same a'], replaced])
  })
})

/** A stack with a trigger that is unknown, previewed and updated. */
async function withUnknown(known: unknown, unknown: unknown): Promise<void> {
  const engine = await engines.of(createCloud())
  await engine.run(triggered(known))
  expect(stepsOf((await engine.run(triggered(known))).events)).toEqual(['same a'])
  const preview = await engine.run(triggered(unknown), { dryRun: true })
  expect(stepsOf(preview.events)).toContain('replace a')
  const up = await engine.run(triggered(unknown))
  expect(up.result.result).toBe('failed')
  expect(errorsOf(up.events)).toContain(`replacement trigger contains unknowns for ${urnOf('a')}`)
  const a = up.state.resources?.find(({ urn }) => urn === urnOf('a'))
  expect(a?.['id']).toBe('a-1')
}

test('TestReplacementTriggerWithOutput: an output that is not known replaces in a preview and fails an update', () =>
  withUnknown(wire.output({ value: 'first' }), wire.output({})))

test('TestReplacementTriggerWithComputed: so does what is not computed yet', () =>
  withUnknown('first', wire.unknown))
