import { expect } from 'vitest'
import type { orderOfEffects } from '../../shared/records/order-of-effects.ts'
import { effectLists, type EffectRow } from './effect-tracer.ts'
import { ProcessKilledError } from './test-process.ts'
import {
  checkCloud,
  type FinalState,
  finalStateOf,
  firstProgram,
  openTestSetup,
  type TestSetup,
} from './resume.ts'
import { plainScenes, type Scene } from './scene.ts'
import { faultScenes } from './fault-scenes.ts'
import { upkeepScenes } from './upkeep-scenes.ts'
import { hookScenes } from './hook-scenes.ts'
import { servingScenes } from './serving-scenes.ts'
import { triggerScenes } from './trigger-scenes.ts'
import { timeScenes } from './time-scenes.ts'

const scenes = {
  ...plainScenes,
  ...faultScenes,
  ...upkeepScenes,
  ...timeScenes,
  ...servingScenes,
  ...triggerScenes,
  ...hookScenes,
}
type SceneName = keyof typeof scenes

/** The scene that reaches each list. A row that needs another scene is in `sceneOfRow`. */
const sceneOfList: Readonly<Record<keyof typeof orderOfEffects, SceneName>> = {
  extendClaim: 'targeted',
  start: 'up',
  planRefresh: 'refreshed',
  runProgram: 'up',
  recordResult: 'up',
  recordExtension: 'up',
  settleResource: 'up',
  registerOutputs: 'up',
  register: 'up',
  replay: 'resumed',
  withdraw: 'differentProgram',
  sendPlan: 'destroyed',
  stopEarly: 'failing',
  close: 'up',
  retireDeadExecutor: 'resumed',
  takeOver: 'resumed',
  stopWithdrawn: 'withdrawn',
  sweepOperations: 'wavesResumed',
  handOver: 'leaving',
  parkAgain: 'wokenForNothing',
  scheduleCheck: 'served',
  nudgeAllStacks: 'reconciled',
  watchHolder: 'foundHeld',
  leaveToNextRun: 'passedOn',
  requestOperation: 'scheduled',
  storeApproval: 'held',
  storeArchive: 'fetched',
  recordEvents: 'up',
  holdLease: 'up',
  runOperation: 'waves',
  redeliverEnded: 'redelivered',
  refuseBegin: 'duplicateMessages',
  giveBack: 'stopped',
  repeatCall: 'lostProvider',
  endUndeliverable: 'poisonedWave',
  resendOperation: 'parking',
  dropMessage: 'duplicateMessages',
  compact: 'up',
  removeOldRecords: 'pruned',
  sweepBlobs: 'pruned',
  cancel: 'cancelled',
  abandon: 'abandoned',
  redriveDeadLetters: 'redriven',
  editState: 'edited',
  endHook: 'hooked',
  hookSettled: 'hooked',
  joinAfterHook: 'hookedWide',
  sendAfterHook: 'hooked',
  retryHookedCall: 'hooked',
  createStack: 'stacks',
  removeStack: 'stacks',
}

const sceneOfRow: ReadonlyMap<string, SceneName> = new Map([
  ['start 2', 'targeted'],
  ['start 3', 'targeted'],
  ['start 6', 'inbox'],
  ['start 8', 'inbox'],
  ['close 3', 'closed'],
  ['takeOver 4', 'inboxResumed'],
  ['sweepOperations 1', 'endFound'],
  ['sweepOperations 2', 'resumed'],
  ['runOperation 5', 'lateCreate'],
  ['runOperation 6', 'slow'],
  ['runOperation 7', 'woken'],
  ['redeliverEnded 2', 'repeatedEnd'],
  ['endUndeliverable 1', 'poisoned'],
])

/** One crash in a scene: before or after one row of the table `orderOfEffects`. */
export interface Crash extends EffectRow {
  readonly list: keyof typeof orderOfEffects
  readonly when: 'before' | 'after'
  readonly call: string
  readonly scene: Scene
  readonly title: string
}

/** Every crash of the table: before and after each row of each list. */
export const crashes: readonly Crash[] = [...effectLists].flatMap(([name, { effects }]) => {
  const list = name as keyof typeof orderOfEffects
  return effects.flatMap(({ call }, index) =>
    (['before', 'after'] as const).map(when => {
      const row = index + 1
      const scene = scenes[sceneOfRow.get(`${list} ${row}`) ?? sceneOfList[list]]
      return {
        list,
        row,
        when,
        call,
        scene,
        title: `${when} ${list} ${row}, ${call}: ${scene.name}`,
      }
    }),
  )
})

/**
 * The crashes of the full tier: after each row, and before the first one. A crash before another
 * row differs from the one after the previous row only by the effects of other lists between them.
 */
export const fullTierCrashes = crashes.filter(({ row, when }) => when === 'after' || row === 1)

/** The final state of each scene without a crash, computed once for all its crashes. */
const finals = new Map<Scene, Promise<FinalState>>()

async function runWithoutCrash(scene: Scene): Promise<FinalState> {
  const setup = await openTestSetup(scene.initialProgram ?? firstProgram, scene.delayMs)
  try {
    await scene.run(setup, undefined)
    const testRun = await scene.recover(setup)
    return finalStateOf(testRun, setup.cloud)
  } finally {
    await setup.engine.close()
  }
}

/**
 * How often a scene may end without its row. Some rows depend on the order of two processes, such as
 * the end of a join by a sweep or by the executor. On a fast machine the executor usually wins.
 */
const attemptsMax = 60

/**
 * Runs a scene until its process is killed at a row. Returns the setup, which the caller must close.
 * Fails when no attempt reaches the row.
 */
async function killAtRow({ list, row, when, scene }: Crash): Promise<TestSetup> {
  for (let attempt = 1; ; attempt += 1) {
    const setup = await openTestSetup(scene.initialProgram ?? firstProgram, scene.delayMs)
    const end = await scene.run(setup, { effect: 1, row: { list, row }, when }).then(
      () => undefined,
      thrown => thrown as unknown,
    )
    if (end instanceof ProcessKilledError) return setup
    await setup.engine.close()
    if (end !== undefined) throw end
    expect(attempt, 'the scene does not reach this row').toBeLessThan(attemptsMax)
  }
}

/**
 * Kills the process of a scene at a row, resumes it, and checks the cloud. A create with an unknown
 * end must be pending. Otherwise the final state equals that of a run without a crash.
 */
export async function checkCrash(crash: Crash): Promise<void> {
  const { list, row, when, scene } = crash
  const final = finals.get(scene) ?? runWithoutCrash(scene)
  finals.set(scene, final)
  const setup = await killAtRow(crash)
  try {
    const testRun = await scene.recover(setup)
    const hasPending = await checkCloud(setup, testRun, `${when} ${list} ${row}`)
    if (hasPending) expect(testRun.result.pending).not.toEqual([])
    else expect(finalStateOf(testRun, setup.cloud)).toEqual(await final)
  } finally {
    await setup.engine.close()
  }
}
