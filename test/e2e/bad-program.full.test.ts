import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let place: Place

beforeAll(async () => {
  place = createPlace('small')
  await initDevStack(place)
  requireSuccess(await place.run(upArgs))
})

afterAll(() => place.remove())

async function expectUnharmed(): Promise<void> {
  const { resources, pending } = await readStackState(place)
  expect(resources.map(({ id }) => id)).toContain('thing-1')
  expect(pending).toEqual([])
  expect(place.listObjects().map(({ id }) => id)).toEqual(['thing-1'])
  expect(place.listProcesses()).toEqual([])
}

test.each([
  ['throw', /thrown by the program/],
  ['exit', /exited with non-zero exit code: 7/],
])(
  'a program that fails by %s fails the deployment and deletes nothing',
  async (fault, pattern) => {
    const ran = await place.run(upArgs, { env: { FAULT: fault } })
    expect(ran.out + ran.err).toMatch(pattern)
    expect(ran.err).toContain('error[DEPLOYMENT_FAILED]: ')
    expect(ran.err).not.toMatch(/^\s+at /m)
    expect(ran.exit).toBe(catalogue.DEPLOYMENT_FAILED.exit)
    await expectUnharmed()
  },
  400_000,
)

test('a program that ignores signals is ended nevertheless', async () => {
  const countDiffs = (): number => place.listCalls().filter(({ call }) => call === 'diff').length
  const before = countDiffs()
  const running = place.start(upArgs, { env: { FAULT: 'deaf' } })
  await waitUntil(() => countDiffs() > before, { what: 'the run of the program' })
  running.kill('SIGINT', 'process')
  const ran = await running.done
  expect(ran.err).toContain('error[DEPLOYMENT_CANCELLED]: ')
  expect(ran.exit).toBe(catalogue.DEPLOYMENT_CANCELLED.exit)
  await expectUnharmed()
})
