import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, succeeded, until } from './place.ts'
import { initStack, lostObjects, readExport, stateOf, up } from './state.ts'
import { ctrlC, startOnTerminal } from './terminal.ts'

let place: Place

beforeEach(async () => {
  place = createPlace('many')
  await initStack(place)
})

afterEach(() => place.remove())

const cancelled = catalogue.DEPLOYMENT_CANCELLED.exit

/** Waits until the creates of the first four are with the provider. */
async function fourRun(): Promise<void> {
  const checks = (): number => place.calls().filter(({ call }) => call === 'check').length
  await until(() => checks() >= 4, { what: 'four creates' })
  await new Promise(done => setTimeout(done, 500))
}

async function checkedState(): Promise<ReturnType<typeof readExport>> {
  const text = await place.exported()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  return state
}

test('after Ctrl-C what runs is ended and recorded, and nothing more is begun', async () => {
  const running = startOnTerminal(place, [...up, '-p', '4'], { COUNT: '12', DELAY: '2500' })
  await fourRun()
  running.press(ctrlC)
  expect(await running.done).toBe(cancelled)
  expect(running.screen()).toContain('error[DEPLOYMENT_CANCELLED]: ')
  const state = await checkedState()
  expect(state.pending).toEqual([])
  const made = state.resources.filter(({ name }) => name.startsWith('thing-'))
  expect(made.length).toBeGreaterThan(0)
  expect(made.length).toBeLessThanOrEqual(4)
  expect(place.objects()).toHaveLength(made.length)
  expect(place.processes()).toEqual([])
  succeeded(await place.run(up, { env: { COUNT: '12', DELAY: '0' } }))
})

test('a second Ctrl-C abandons what runs, and the next run says what to do about it', async () => {
  const running = startOnTerminal(place, [...up, '-p', '4'], { COUNT: '12', DELAY: '60000' })
  await fourRun()
  running.press(ctrlC)
  await new Promise(done => setTimeout(done, 300))
  running.press(ctrlC)
  expect(await running.done).toBe(cancelled)
  await until(() => place.processes().length === 0, { what: 'no orphans', limitMs: 3_000 })
  const state = await checkedState()
  expect(state.pending).toHaveLength(4)
  expect(state.pending.every(({ type }) => type === 'creating')).toBe(true)
  const next = succeeded(await place.run(up, { env: { COUNT: '12', DELAY: '0' } }))
  for (const { name } of state.pending) expect(next.out + next.err).toContain(name)
  expect(next.out + next.err).toContain('--clear-pending-creates')
})

const cancel = ['cancel', '--yes', '-s', 'dev']

test('a living deployment is cancelled from another process', async () => {
  const running = place.start([...up, '-p', '4'], { env: { COUNT: '12', DELAY: '2500' } })
  await fourRun()
  succeeded(await place.run(cancel))
  const ran = await running.done
  expect(ran.exit).toBe(cancelled)
  expect(ran.err).toContain('error[DEPLOYMENT_CANCELLED]: ')
  const state = await checkedState()
  expect(state.pending).toEqual([])
  expect(place.objects().length).toBeLessThanOrEqual(4)
})

test('a dead deployment is closed by cancel, and its pending operations are named', async () => {
  const running = place.start([...up, '-p', '4'], { env: { COUNT: '12', DELAY: '60000' } })
  await fourRun()
  running.kill('SIGKILL', 'group')
  await running.done
  expect(succeeded(await place.run(cancel)).err).toContain('was cancelled')
  expect((await checkedState()).pending).toHaveLength(4)
  expect(succeeded(await place.run(cancel)).err).toContain('No deployment')
  expect((await stateOf(place)).pending).toHaveLength(4)
})
