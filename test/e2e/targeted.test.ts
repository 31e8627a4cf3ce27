import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectRefused } from './expect-refused.ts'
import { findLostObjects, readStackState, upArgs } from './exported-state.ts'
import { requireSuccess } from './sandbox.ts'
import {
  createTargetedSandbox,
  slowEnv,
  type TargetedSandbox,
  goldUrnOf,
} from './targeted-sandbox.ts'

let targeted: TargetedSandbox

beforeEach(async () => {
  targeted = await createTargetedSandbox()
})

afterEach(() => targeted.sandbox.remove())

test('independent targets are deployed at the same time, and a conflict names the holder and the URN', async () => {
  const { sandbox } = targeted
  // Four commands are refused meanwhile, which takes long on a busy machine.
  const env = { ...slowEnv, DELAY: '25000' }
  const [first, second] = await targeted.startBoth(env)
  expect((await readStackState(sandbox)).pending.map(({ name }) => name).toSorted()).toEqual([
    'a',
    'b',
  ])
  const whole = await sandbox.run(upArgs)
  expectRefused(whole, 'STACK_BUSY', [`process ${first.pid} `])
  const dependent = await sandbox.run([...upArgs, '--target', goldUrnOf('c')])
  expectRefused(dependent, 'STACK_BUSY', [`process ${first.pid} `, goldUrnOf('a')])
  const destroyed = await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev'])
  expectRefused(destroyed, 'STACK_BUSY', [`process ${first.pid} `])
  expectRefused(await sandbox.run(['cancel', '--yes', 'dev']), 'DEPLOYMENT_AMBIGUOUS', ['2, 3'])
  requireSuccess(await first.done)
  requireSuccess(await second.done)
  expect(await targeted.readValues()).toEqual({ a: 2, b: 2, c: 1 })
  const outputs = await sandbox.run(['stack', 'output', '--json', '-s', 'dev'])
  expect(JSON.parse(requireSuccess(outputs).out)).toEqual({ a: 2, b: 2 })
  expect(findLostObjects(sandbox, await readStackState(sandbox))).toEqual([])
  requireSuccess(await sandbox.run([...upArgs, '--expect-no-changes'], { env }))
})

test('a refresh and a destroy of another target run beside an update', async () => {
  const { sandbox } = targeted
  const first = targeted.startUp('a')
  await targeted.waitForUpdate()
  const otherArgs = ['--yes', '--skip-preview', '-s', 'dev', '--target', goldUrnOf('b')]
  requireSuccess(await sandbox.run(['refresh', ...otherArgs]))
  requireSuccess(await sandbox.run(['destroy', ...otherArgs]))
  const dependent = await sandbox.run(['destroy', ...otherArgs.slice(0, -1), goldUrnOf('c')])
  expectRefused(dependent, 'STACK_BUSY', [`process ${first.pid} `, goldUrnOf('a')])
  requireSuccess(await first.done)
  expect(await targeted.readValues()).toEqual({ a: 2, c: 1 })
  expect(findLostObjects(sandbox, await readStackState(sandbox))).toEqual([])
})
