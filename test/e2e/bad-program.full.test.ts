import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { createPlace, type Place, succeeded, until } from './place.ts'
import { initStack, stateOf, up } from './state.ts'

let place: Place

beforeAll(async () => {
  place = createPlace('small')
  await initStack(place)
  succeeded(await place.run(up))
})

afterAll(() => place.remove())

async function expectUnharmed(): Promise<void> {
  const { resources, pending } = await stateOf(place)
  expect(resources.map(({ id }) => id)).toContain('thing-1')
  expect(pending).toEqual([])
  expect(place.objects().map(({ id }) => id)).toEqual(['thing-1'])
  expect(place.processes()).toEqual([])
}

test.each([
  ['throw', /thrown by the program/],
  ['exit', /exited with non-zero exit code: 7/],
])(
  'a program that fails by %s fails the deployment and deletes nothing',
  async (fault, words) => {
    const ran = await place.run(up, { env: { FAULT: fault } })
    expect(ran.out + ran.err).toMatch(words)
    expect(ran.err).toContain('error[DEPLOYMENT_FAILED]: ')
    expect(ran.err).not.toMatch(/^\s+at /m)
    expect(ran.exit).toBe(catalogue.DEPLOYMENT_FAILED.exit)
    await expectUnharmed()
  },
  400_000,
)

test('a program that is deaf to signals is ended all the same', async () => {
  const diffs = (): number => place.calls().filter(({ call }) => call === 'diff').length
  const before = diffs()
  const running = place.start(up, { env: { FAULT: 'deaf' } })
  await until(() => diffs() > before, { what: 'the program runs' })
  running.kill('SIGINT', 'process')
  const ran = await running.done
  expect(ran.err).toContain('error[DEPLOYMENT_CANCELLED]: ')
  expect(ran.exit).toBe(catalogue.DEPLOYMENT_CANCELLED.exit)
  await expectUnharmed()
})
