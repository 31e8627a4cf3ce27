import { afterAll, expect, test } from 'vitest'
import type { EffectList } from '../../shared/records/effect.ts'
import { orderOfEffects } from '../../shared/records/order-of-effects.ts'
import { createCloud } from './cloud.ts'
import { checkCrash, crashes } from './crashes.ts'
import { openEngine, type Program } from './engine.ts'
import { removePreparedHomes } from './resume.ts'

afterAll(removePreparedHomes)

const {
  start,
  runProgram,
  settleResource,
  register,
  runOperation,
  sendPlan,
  close,
  holdLease,
  recordEvents,
} = orderOfEffects

/** Returns the calls of a list, without the rows with these numbers. The first row is number 1. */
const callsOf = ({ effects }: EffectList, ...omittedNumbers: readonly number[]): string[] =>
  effects.filter((_, index) => !omittedNumbers.includes(index + 1)).map(({ call }) => call)

/**
 * Maps an effect to its name in the table. All provider calls have one name there. An append of a
 * plan is listed without the other decisions in its record.
 */
const toListedName = (effect: string): string => {
  if (effect.startsWith('provider.')) return 'provider call'
  return effect.endsWith(' + plan') ? 'decisionLog.append plan' : effect
}

const oneProgram: Program = async monitor => {
  await monitor.register({ type: 'test:index:Thing', name: 'a', custom: true, object: {} })
}

// Single calls of the table, which the expected order has between the calls of other lists.
// Rows 2, 3, 6 and 8 of `start` are for targets, late outcomes and update plans. Row 3 of `close`
// is for dead executors.
const [phase, ended, applied] = callsOf(runProgram)
const [registered, retired] = callsOf(holdLease)
const startCalls = [...callsOf(start, 2, 3, 6, 8), registered, phase]
/** Rows of `runOperation` for waiting, late, slow and parked operations, which this test lacks. */
const absentRows = [5, 6, 7, 9, 10]
const closeCalls = [applied, ...callsOf(close, 3), retired]

test('a deployment has the effects of the table in its order', async () => {
  const engine = await openEngine(createCloud().script)
  try {
    const readEffects = async (program: Program): Promise<readonly string[]> => {
      const testRun = await engine.run(program)
      expect(testRun.tracer.listUnfinished()).toEqual([])
      // Events are recorded concurrently, by the clock.
      return testRun.effects.map(toListedName).filter(call => !callsOf(recordEvents).includes(call))
    }
    // Stack and provider are settled. One create follows, without dependents.
    expect(await readEffects(oneProgram)).toEqual([
      ...startCalls,
      ...callsOf(settleResource),
      ...callsOf(settleResource),
      ...callsOf(register),
      ...callsOf(runOperation, ...absentRows, 8),
      ended,
      ...closeCalls,
    ])
    // Only the stack is registered: the resource is deleted, then its provider, without a call.
    // Their message is removed after both deletes.
    expect(await readEffects(async () => {})).toEqual([
      ...startCalls,
      ...callsOf(sendPlan),
      ...callsOf(runOperation, ...absentRows, 11),
      ...callsOf(runOperation, ...absentRows, 2, 8),
      ...closeCalls,
    ])
  } finally {
    await engine.close()
  }
})

test('effects in another order are violations', async () => {
  const { createTracer } = await import('./effect-tracer.ts')
  const tracer = createTracer()
  const [closing, stop, , , , closed] = callsOf(close)
  tracer.note('decisionLog.append', ['d', { number: 1, decisions: [{ kind: 'closing' }] }])
  expect([closing, stop, closed]).toEqual([
    'decisionLog.append closing',
    'control.stop',
    'control.close',
  ])
  expect(tracer.violations).toEqual([])
  expect(tracer.listUnfinished()).toEqual(['process close: decisionLog.append closing'])
  tracer.note('decisionLog.append', ['d', { number: 2, decisions: [{ kind: 'closing' }] }])
  expect(tracer.violations).toEqual([
    'process close: decisionLog.append closing after decisionLog.append closing',
  ])
  tracer.note('chains.send', [[]])
  expect(tracer.violations.at(-1)).toBe('chains.send by none: no list has it')
})

/**
 * A sample of the crashes, from every part of the table. The step of 13 is odd, so the sample has
 * crashes before and after effects. The full tier runs all of them.
 */
const sample = crashes.filter(({ list, scene }, index) => {
  const isQuick = scene.delayMs === undefined && list !== 'parkAgain' && list !== 'redeliverEnded'
  return isQuick && index % 13 === 1
})

test.concurrent.for(sample)('a process that dies $title', checkCrash)
