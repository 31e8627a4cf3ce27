import { expect, test } from 'vitest'
import { createOwnerWait } from './owner-wait.ts'
import type { StoreOwner } from './store-owner.ts'

const running: StoreOwner = { pid: 7, state: 'running' }

test('a running owner has a minute to answer, and any other one ten seconds', () => {
  const owners = [running, { pid: 7, state: 'stopped' }, { pid: 7, state: 'unknown' }, undefined]
  const limitsMs = owners.map(owner => {
    const wait = createOwnerWait(0)
    const times = Array.from({ length: 200 }, (_, index) => index * 1000)
    return times.find(nowMs => wait.isOver(owner as StoreOwner | undefined, nowMs))
  })
  expect(limitsMs).toEqual([60_000, 10_000, 10_000, 10_000])
})

test('each new owner has the whole time, up to five minutes for all owners', () => {
  const wait = createOwnerWait(0)
  const times = Array.from({ length: 40 }, (_, index) => index * 10_000)
  // A new process becomes the owner each 50 seconds.
  const overMs = times.find(nowMs =>
    wait.isOver({ pid: 10 + Math.floor(nowMs / 50_000), state: 'running' }, nowMs),
  )
  expect(overMs).toBe(300_000)
})

test('the wait for a running owner is over when the owner is stopped', () => {
  const wait = createOwnerWait(0)
  expect(wait.isOver(running, 30_000)).toBe(false)
  expect(wait.isOver({ pid: 7, state: 'stopped' }, 30_500)).toBe(true)
})

test('the wait begins again when the owner ends', () => {
  const wait = createOwnerWait(0)
  expect(wait.isOver(running, 30_000)).toBe(false)
  expect(wait.isOver(undefined, 30_020)).toBe(false)
  expect(wait.isOver(undefined, 40_019)).toBe(false)
  expect(wait.isOver(undefined, 40_020)).toBe(true)
})

test('the first owner has been silent since the start of the wait', () => {
  const wait = createOwnerWait(0)
  expect(wait.isOver({ pid: 7, state: 'stopped' }, 10_000)).toBe(true)
})

test('pauses double from 20 ms to half a second', () => {
  const wait = createOwnerWait(0)
  const pausesMs = Array.from({ length: 7 }, wait.nextPauseMs)
  expect(pausesMs).toEqual([20, 40, 80, 160, 320, 500, 500])
})
