import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = createSandbox('small')
  await initDevStack(sandbox)
  requireSuccess(await sandbox.run(upArgs))
})

afterAll(() => sandbox.remove())

async function expectUnharmed(): Promise<void> {
  const { resources, pending } = await readStackState(sandbox)
  expect(resources.map(({ id }) => id)).toContain('thing-1')
  expect(pending).toEqual([])
  expect(sandbox.listObjects().map(({ id }) => id)).toEqual(['thing-1'])
  expect(sandbox.listProcesses()).toEqual([])
}

test.each([
  ['throw', /thrown by the program/],
  ['exit', /exited with non-zero exit code: 7/],
])(
  'a program that fails by %s fails the deployment and deletes nothing',
  async (fault, pattern) => {
    const result = await sandbox.run(upArgs, { env: { FAULT: fault } })
    expect(result.out + result.err).toMatch(pattern)
    expect(result.err).toContain('error[DEPLOYMENT_FAILED]: ')
    expect(result.err).not.toMatch(/^\s+at /m)
    expect(result.exit).toBe(catalogue.DEPLOYMENT_FAILED.exit)
    await expectUnharmed()
  },
  400_000,
)

test('a program that ignores signals is ended nevertheless', async () => {
  const countDiffs = (): number => sandbox.listCalls().filter(({ call }) => call === 'diff').length
  const before = countDiffs()
  const running = sandbox.start(upArgs, { env: { FAULT: 'deaf' } })
  await waitUntil(() => countDiffs() > before, { condition: 'the run of the program' })
  running.kill('SIGINT', 'process')
  const result = await running.done
  expect(result.err).toContain('error[DEPLOYMENT_CANCELLED]: ')
  expect(result.exit).toBe(catalogue.DEPLOYMENT_CANCELLED.exit)
  await expectUnharmed()
})
