import { expect, test } from 'vitest'
import { limits } from '../../config/limits.ts'
import { DeploymentAborted } from '../generator/finish-stage.ts'
import {
  createRegistrationWindow,
  type RegistrationWindow,
  windowSizeOf,
} from './registration-window.ts'

/** Enters a registration that runs until `end` is called, and records its start. */
function enterPending(window: RegistrationWindow, name: string, started: string[]) {
  const end = Promise.withResolvers<void>()
  const done = window.enter(async () => {
    started.push(name)
    await end.promise
    return name
  })
  return { end: end.resolve, done }
}

function createWindowOf(sizeMax: number): RegistrationWindow {
  const window = createRegistrationWindow()
  window.resize(sizeMax)
  return window
}

test('a window admits registrations up to its size, and the others in the order of arrival', async () => {
  const window = createWindowOf(2)
  const started: string[] = []
  const registrations = ['a', 'b', 'c', 'd', 'e'].map(name => enterPending(window, name, started))
  expect(started).toEqual(['a', 'b'])
  registrations[1]?.end()
  await registrations[1]?.done
  expect(started).toEqual(['a', 'b', 'c'])
  for (const { end } of registrations) end()
  await Promise.all(registrations.map(({ done }) => done))
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a failed registration leaves the window, and its caller gets the error', async () => {
  const window = createWindowOf(1)
  const failed = window.enter(() => Promise.reject(new Error('refused')))
  const next = window.enter(() => Promise.resolve('next'))
  await expect(failed).rejects.toThrow('refused')
  await expect(next).resolves.toBe('next')
})

test('a registration that waits for a nested registration does not block it', async () => {
  const window = createWindowOf(1)
  const order: string[] = []
  const register = (depth: number): Promise<void> =>
    window.enter(async () => {
      // A transform of the program registers another resource before it answers.
      if (depth > 0) await window.widenDuring(register(depth - 1))
      order.push(`registered ${depth}`)
    })
  // Another registration arrives before each nested one.
  await Promise.all([register(3), register(0), register(2)])
  expect(order).toHaveLength(8)
  expect(order.at(-1)).toMatch(/registered [23]/)
})

test('an ended call narrows the window again', async () => {
  const window = createWindowOf(1)
  const started: string[] = []
  const call = Promise.withResolvers<void>()
  const first = enterPending(window, 'first', started)
  const widened = window.widenDuring(call.promise)
  const second = enterPending(window, 'second', started)
  expect(started).toEqual(['first', 'second'])
  call.resolve()
  await widened
  const third = enterPending(window, 'third', started)
  first.end()
  await first.done
  expect(started).toEqual(['first', 'second'])
  second.end()
  third.end()
  await third.done
})

test('a closed window refuses waiting and later registrations', async () => {
  const window = createWindowOf(1)
  const started: string[] = []
  const running = enterPending(window, 'running', started)
  const waiting = enterPending(window, 'waiting', started)
  window.close()
  await expect(waiting.done).rejects.toBeInstanceOf(DeploymentAborted)
  await expect(enterPending(window, 'late', started).done).rejects.toBeInstanceOf(DeploymentAborted)
  running.end()
  await expect(running.done).resolves.toBe('running')
  expect(started).toEqual(['running'])
})

test('windowSizeOf returns the default size, or twice the limit of running operations if that is larger', () => {
  expect(windowSizeOf(8)).toBe(limits.registrationsInWindow)
  expect(windowSizeOf(5_000)).toBe(10_000)
})
