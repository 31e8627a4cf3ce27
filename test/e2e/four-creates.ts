import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { type Place, waitUntil } from './place.ts'
import { type ExportedState, lostObjects, readExport } from './exported-state.ts'

/** Waits until the creates of the first four are with the provider. */
export async function waitForFourCreates(place: Place): Promise<void> {
  const countChecks = (): number => place.listCalls().filter(({ call }) => call === 'check').length
  await waitUntil(() => countChecks() >= 4, { what: 'four creates' })
  await new Promise(done => setTimeout(done, 500))
}

/** The state of the stack, when it breaks no rule and has lost no object. */
export async function readCheckedState(place: Place): Promise<ExportedState> {
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  return state
}

/** `cancel` without questions. */
export const cancelArgs = ['cancel', '--yes', '-s', 'dev']
