import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { type Place, until } from './place.ts'
import { type FoundState, lostObjects, readExport } from './state.ts'

/** Waits until the creates of the first four are with the provider. */
export async function fourRun(place: Place): Promise<void> {
  const checks = (): number => place.calls().filter(({ call }) => call === 'check').length
  await until(() => checks() >= 4, { what: 'four creates' })
  await new Promise(done => setTimeout(done, 500))
}

/** The state of the stack, when it breaks no rule and has lost no object. */
export async function checkedState(place: Place): Promise<FoundState> {
  const text = await place.exported()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  return state
}

/** `cancel` without questions. */
export const cancel = ['cancel', '--yes', '-s', 'dev']
