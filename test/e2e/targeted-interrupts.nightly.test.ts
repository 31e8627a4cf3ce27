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

test('a killed deployment is resumed after the results of a concurrent one were published', async () => {
  const { sandbox } = targeted
  const [first, second] = await targeted.startBoth()
  first.kill('SIGKILL', 'process')
  await first.done
  requireSuccess(await second.done)
  expect(await targeted.readValues()).toMatchObject({ b: 2 })
  const env = slowEnv
  requireSuccess(await sandbox.run(['resume', '-s', 'dev', '--yes'], { env }))
  expect(await targeted.readValues()).toEqual({ a: 2, b: 2, c: 1 })
  expect(findLostObjects(sandbox, await readStackState(sandbox))).toEqual([])
})

test('the second of two killed deployments is resumed first, by its number', async () => {
  const { sandbox } = targeted
  const running = await targeted.startBoth()
  for (const { kill, done } of running) {
    kill('SIGKILL', 'process')
    await done
  }
  const resume = ['resume', '-s', 'dev', '--yes']
  const unknown = await sandbox.run([...resume, '--deployment', '9'])
  expectRefused(unknown, 'NOTHING_TO_RESUME', ['deployment 9 ', 'is not open'])
  requireSuccess(await sandbox.run([...resume, '--deployment', '3'], { env: slowEnv }))
  expect(await targeted.readValues()).toMatchObject({ b: 2, c: 1 })
  requireSuccess(await sandbox.run(resume, { env: slowEnv }))
  expect(await targeted.readValues()).toEqual({ a: 2, b: 2, c: 1 })
  expect(findLostObjects(sandbox, await readStackState(sandbox))).toEqual([])
})

test('one of two open deployments is cancelled by its number', async () => {
  const { sandbox } = targeted
  const [first, second] = await targeted.startBoth()
  requireSuccess(await sandbox.run(['cancel', '--yes', 'dev', '--deployment', '3']))
  await second.done
  requireSuccess(await first.done)
  expect(await targeted.readValues()).toMatchObject({ a: 2, c: 1 })
  requireSuccess(await sandbox.run(upArgs, { env: { VALUE: '3' } }))
  expect(await targeted.readValues()).toEqual({ a: 3, b: 3, c: 1 })
})

test('a new resource is refused while another deployment changes its dependency', async () => {
  const first = targeted.startUp('a')
  await targeted.waitForUpdate()
  const added = await targeted.startUp('new', { WITH_NEW: '1' }).done
  expectRefused(added, 'STACK_BUSY', [`process ${first.pid} `, goldUrnOf('a')])
  requireSuccess(await first.done)
  expect(await targeted.readValues()).toEqual({ a: 2, b: 1, c: 1 })
})
